/** Reads server-sent events as they arrive; the browser's own reader cannot send who asks. `event-stream.ts` uses it. */
export interface ServerSentEvent {
  event: string;
  data: string;
}

/** Takes pieces of the stream as they come; what a piece leaves unfinished waits for the next. */
export function createEventReader(take: (event: ServerSentEvent) => void): (piece: string) => void {
  /** Joined only when a line ends: a long line may come in a thousand pieces. */
  let unfinished: string[] = [];
  let event = "message";
  let data: string[] = [];

  function takeLine(line: string): void {
    if (line === "") {
      if (data.length > 0) take({ event, data: data.join("\n") });
      event = "message";
      data = [];
      return;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    else if (field === "event") event = value;
  }

  return (piece) => {
    if (!piece.includes("\n")) return void unfinished.push(piece);
    const lines = [...unfinished, piece].join("").split("\n");
    unfinished = [lines.pop() ?? ""];
    for (const line of lines) takeLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  };
}
