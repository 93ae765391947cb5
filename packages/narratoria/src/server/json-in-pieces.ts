/** A JSON object with one very long list, encoded piece by piece as the reader takes it: others are answered in between. */
const PIECE_CHARACTERS = 256 * 1024;

const encoder = new TextEncoder();

/** The list comes last; without it the object must have something in it. */
export function jsonInPieces(rest: object, name: string, list: readonly unknown[]): Response {
  let next = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (queue) => queue.enqueue(encoder.encode(`${JSON.stringify(rest).slice(0, -1)},${JSON.stringify(name)}:[`)),
      pull: (queue) => {
        let piece = "";
        while (next < list.length && piece.length < PIECE_CHARACTERS) {
          piece += `${next === 0 ? "" : ","}${JSON.stringify(list[next])}`;
          next++;
        }
        queue.enqueue(encoder.encode(next < list.length ? piece : `${piece}]}`));
        if (next === list.length) queue.close();
      },
    },
    new CountQueuingStrategy({ highWaterMark: 1 }),
  );
  return new Response(body, { headers: { "content-type": "application/json" } });
}
