/** The tools of this story: how they are spoken to, how they fare, what they ask for, and what they were granted. */
import { useEffect, useState } from "react";
import type { MountSummary } from "../../../src/runtime/policy/mount-summaries.ts";
import { type ApiAnswer, api } from "../api.ts";
import { Dialog } from "../dialog.tsx";
import { Icon } from "../icon.tsx";
import { showUnseen } from "../name.tsx";
import { Notice } from "../notice.tsx";
import { shorten, wordsForTime } from "../words.ts";
import { shownPlain } from "../../../src/story/shown-name.ts";
import { wordsForCapability } from "../../../src/story/capability-words.ts";

interface Question {
  kind: "give" | "revoke";
  tool: string;
  capability: string;
}

export function MountedTools({ story }: { story: string }) {
  const [answer, setAnswer] = useState<ApiAnswer<MountSummary[]> | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const load = async (): Promise<void> => setAnswer(await api.tools());
  useEffect(() => void load(), [story]);
  const decide = async ({ kind, tool, capability }: Question): Promise<void> => {
    setQuestion(null);
    const decided = await (kind === "give"
      ? api.grant({ name: tool, story }, capability)
      : api.revoke({ name: tool, story }, capability));
    setProblem(decided.kind === "failed" ? decided.message : null);
    await load();
  };

  if (answer === null) return <p className="quiet">Loading…</p>;
  if (answer.kind === "failed") return <Notice message={answer.message} details={null} retry={() => void load()} />;
  const own = answer.value.filter((tool) => tool.story === story);
  if (own.length === 0) return <p className="quiet">This story has no tools of its own.</p>;
  return (
    <>
      {problem !== null && <Notice message={problem} details={null} dismiss={() => setProblem(null)} />}
      <ul className="mounts" aria-label="Mounted tools">
        {own.map((tool) => (
          <li key={tool.name} className="card mount">
            <Mount tool={tool} ask={(kind, capability) => setQuestion({ kind, tool: tool.name, capability })} />
          </li>
        ))}
      </ul>
      {question !== null && <Confirm question={question} decide={decide} close={() => setQuestion(null)} />}
    </>
  );
}

interface MountProps {
  tool: MountSummary;
  ask: (kind: Question["kind"], capability: string) => void;
}

function Mount({ tool, ask }: MountProps) {
  const { name, protocol, kind, description, capabilities, grants } = tool;
  const missing = capabilities.filter((capability) => !grants.some((grant) => isGranted(grant, capability)));
  return (
    <>
      <h2>
        <bdi>{shownPlain(name)}</bdi>
        <span>
          {kind}, speaks {protocol}
        </span>
      </h2>
      {description !== null && (
        <p>
          <bdi>{showUnseen(shorten(description, 500))}</bdi>
        </p>
      )}
      <Health tool={tool} />
      {capabilities.length === 0 && grants.length === 0 && (
        <p className="quiet">It asks for nothing beyond the sandbox.</p>
      )}
      <ul className="grants">
        {missing.map((capability) => (
          <li key={capability}>
            <Icon name="block" />
            <Capability capability={capability} state="not granted" />
            <button
              type="button"
              className="text-button"
              aria-label={`Give ${shownPlain(capability, 240)}`}
              onClick={() => ask("give", capability)}
            >
              Give
            </button>
          </li>
        ))}
        {grants.map((capability) => (
          <li key={capability}>
            <Icon name="check_circle" />
            <Capability capability={capability} state="granted" />
            <button
              type="button"
              className="text-button"
              aria-label={`Revoke ${shownPlain(capability, 240)}`}
              onClick={() => ask("revoke", capability)}
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Health({ tool: { health } }: { tool: MountSummary }) {
  if (health.status === "unknown") return <p className="quiet">Not used since Narratoria started.</p>;
  const when = health.at === null ? "" : `, ${wordsForTime(health.at / 1000)}`;
  return (
    <p className={`health ${health.status}`}>
      <Icon name={health.status === "ok" ? "check_circle" : "error"} />
      <span>
        {health.status === "ok" ? "Worked" : "Failed"} when it was last used{when}
        {health.message !== null && (
          <>
            : <bdi>{showUnseen(shorten(health.message, 300))}</bdi>
          </>
        )}
      </span>
    </p>
  );
}

function Capability({ capability, state }: { capability: string; state: string }) {
  return (
    <span>
      <bdi>{wordsForCapability(capability)}</bdi>
      <small>
        <code>
          <bdi>{shownPlain(capability, 240)}</bdi>
        </code>
        , {state}
      </small>
    </span>
  );
}

interface ConfirmProps {
  question: Question;
  decide: (question: Question) => Promise<void>;
  close: () => void;
}

function Confirm({ question, decide, close }: ConfirmProps) {
  const { kind, tool, capability } = question;
  const words = wordsForCapability(capability);
  return (
    <Dialog title={kind === "give" ? "Give this to the tool?" : "Take this from the tool?"} close={close}>
      <p>
        {kind === "give" ? "From now on " : "No longer "}
        <b>
          <bdi>{shownPlain(tool)}</bdi>
        </b>
        {kind === "give" ? " may " : " will be able to "}
        <bdi>{words}</bdi>. {kind === "revoke" && "When it needs that again, you are asked."}
      </p>
      <div className="dialog-actions">
        <m3e-button variant="text" onClick={close}>
          Cancel
        </m3e-button>
        <m3e-button variant="filled" onClick={() => void decide(question)}>
          {kind === "give" ? "Give" : "Revoke"}
        </m3e-button>
      </div>
    </Dialog>
  );
}

/** A grant without a scope covers every scope. */
function isGranted(grant: string, capability: string): boolean {
  return grant === capability || (!grant.includes(":") && capability.startsWith(`${grant}:`));
}
