/** Where a value came from: the whole chain of what set it, newest first, each link leading to its turn. */
import { useEffect, useState } from "react";
import type { Json } from "@narratoria/tool/json";
import type { Provenance, Setting } from "../../../src/runtime/seams/session-service.ts";
import { lookUp, parsePointer } from "../../../src/story/json-pointer.ts";
import type { SessionView } from "../../../src/story/session-view.ts";
import { type ApiAnswer, api } from "../api.ts";
import { CopyButton } from "../copy-button.tsx";
import { Icon } from "../icon.tsx";
import { Name, showUnseen } from "../name.tsx";
import { RouteLink } from "../route-link.tsx";
import { routeToTool } from "../tools/chosen-tool.ts";
import { shorten } from "../words.ts";

/** More of a value than this nobody reads in a panel; the copy has all. */
const SHOWN_CHARACTERS = 4_000;

export function WhyPanel({ view, path, close }: { view: SessionView; path: string; close: () => void }) {
  const [answer, setAnswer] = useState<ApiAnswer<Provenance> | null>(null);
  const { sessionId, headTurnId, state } = view;
  useEffect(() => {
    let isCurrent = true;
    void api.why(sessionId, path).then((given) => isCurrent && setAnswer(given));
    return () => {
      isCurrent = false;
    };
  }, [sessionId, path, headTurnId, state]);
  const value = lookUp(view.state, parsePointer(path) ?? []);
  return (
    <section className="why-panel card" aria-label="Where it came from">
      <header>
        <h2>
          <bdi>{showUnseen(path)}</bdi>
        </h2>
        <button type="button" className="text-button" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <pre className="why-value" tabIndex={0} aria-label="Its value">
        {value === undefined ? "not there now" : writeValue(value)}
      </pre>
      <div className="why-actions">
        <CopyButton text={() => JSON.stringify(value ?? null, null, 2)} label="Copy value" />
        <CopyButton text={() => path} label="Copy path" />
      </div>
      <h3>Why</h3>
      {answer === null && <p className="quiet">Looking it up…</p>}
      {answer?.kind === "failed" && <p className="quiet">{answer.message}</p>}
      {answer?.kind === "ok" && <Chain view={view} provenance={answer.value} />}
    </section>
  );
}

function Chain({ view, provenance }: { view: SessionView; provenance: Provenance }) {
  const { setBy, value, before } = provenance;
  if (setBy === null) {
    return <p>{value === null ? "Nothing has set it." : "The story began with it, and nothing changed it since."}</p>;
  }
  return (
    <ol className="why-chain">
      <Link view={view} setting={setBy} value={value} />
      {before.map((setting) => (
        <Link key={setting.eventId} view={view} setting={setting} value={setting.value} />
      ))}
    </ol>
  );
}

function Link({ view, setting, value }: { view: SessionView; setting: Setting; value: Json | null }) {
  const { turnId, skill, toolId, attempt, prompt, planId, eventId } = setting;
  const turn = view.turns.find((each) => each.turnId === turnId);
  const tool = turn?.tools.find((each) => each.toolId === toolId && each.planId === planId);
  return (
    <li>
      <p>
        <b>
          {value === null ? "removed, or part of a larger change" : shorten(JSON.stringify(value).slice(0, 400), 120)}
        </b>
      </p>
      <p>
        {skill === null ? (
          "The story began with it"
        ) : (
          <>
            Set by <Name text={skill} />
          </>
        )}
        {attempt !== null && attempt > 1 && `, at attempt ${attempt}`}
        {turn !== undefined && `, in turn ${turn.number}`}
        {prompt !== null && (
          <>
            , because you said <q>{<Name text={shorten(prompt, 120)} />}</q>
          </>
        )}
        .
      </p>
      {turn !== undefined && (
        <p className="why-links">
          <RouteLink to={{ kind: "session", sessionId: view.sessionId, place: "narrative", item: turn.turnId }}>
            Read turn {turn.number}
          </RouteLink>
          {tool !== undefined && <RouteLink to={routeToTool(view.sessionId, turn, tool)}>What the tool did</RouteLink>}
        </p>
      )}
      <details>
        <summary>Identifiers</summary>
        <dl className="facts">
          {Object.entries({ turn: turnId, plan: planId, tool: toolId, event: eventId }).map(([name, id]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{id ?? "none"}</dd>
            </div>
          ))}
        </dl>
      </details>
    </li>
  );
}

function writeValue(value: Json): string {
  const text = JSON.stringify(value, null, 2);
  return showUnseen(text.slice(0, SHOWN_CHARACTERS)) + (text.length > SHOWN_CHARACTERS ? "…" : "");
}
