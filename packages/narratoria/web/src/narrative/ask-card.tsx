/** A question to the player while a turn waits: what, why, and the answers. Not answering is answering no. */
import type { AskView } from "../../../src/story/session-view.ts";
import { Icon } from "../icon.tsx";

export function AskCard({ ask, answer }: { ask: AskView; answer: (askId: string, value: string) => void }) {
  return (
    <section className="card ask" aria-label="A question to you">
      <Icon name="help" />
      <div className="ask-words">
        <h3>{ask.question}</h3>
        {ask.reason !== null && <p>{ask.reason}</p>}
        <p className="ask-note">The story waits for you. No answer means no.</p>
        <div className="ask-answers">
          {/* All alike: none of them is the one to press without reading. */}
          {ask.answers.map(({ value, label }) => (
            <m3e-button key={value} variant="tonal" onClick={() => answer(ask.askId, value)}>
              {label}
            </m3e-button>
          ))}
        </div>
      </div>
    </section>
  );
}
