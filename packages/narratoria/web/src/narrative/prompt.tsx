/** What the player said. */
export function Prompt({ text, isUnderWay = false }: { text: string; isUnderWay?: boolean }) {
  return (
    <p className={isUnderWay ? "prompt under-way" : "prompt"}>
      <span className="visually-hidden">You: </span>
      <bdi className="prompt-text">{text}</bdi>
    </p>
  );
}
