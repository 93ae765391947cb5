/**
 * A mount with the secrets it was granted, and what keeps them (and those of its address) from coming back: the one place
 * in which whoever runs a tool or calls a module gets both. `secrets.ts` finds them in text, `secrets-in-assets.ts` in bytes.
 */
import { checkToolEvent, type LogEvent, type ToolEvent } from "@narratoria/tool/protocol";
import type { EquippedMount, Mounted } from "../seams/resolved-tool.ts";
import type { AttemptPort, ReceivedEvent } from "../seams/tool-runner.ts";
import { withoutSecrets } from "./secrets-in-assets.ts";
import { createRedaction, secretsFor, type Secrets } from "./secrets.ts";

export interface Equipment {
  readonly mount: EquippedMount;
  /** The same without the secrets. */
  clean<T>(value: T): T;
  /** A port to which nothing comes that holds one. */
  cleanPort(port: AttemptPort): AttemptPort;
}

/** In place of an event that is none any more without what it held. */
const LEFT_OUT: LogEvent = {
  version: "0",
  type: "log",
  level: "warn",
  message: "an event was left out: it held a secret where only certain words may stand",
};

export function equip({ tool, storyDir }: Mounted): Equipment {
  const secrets = secretsFor(tool.needs, process.env);
  const kept: Secrets = { ...secrets, ...Object.fromEntries((tool.credentials?.secrets ?? []).entries()) };
  const clean = createRedaction(kept);

  function cleanEvent(received: ReceivedEvent): ReceivedEvent {
    const { event: printed, warnings, asset } = received;
    const event = withoutSecretsIn(printed);
    // JSON has many ways to spell a text: where the event held one, the line as it was printed is not kept.
    const text = event === printed ? received.text : JSON.stringify(event);
    const said = { event, text, warnings: clean(warnings) };
    return asset === undefined ? said : { ...said, asset: withoutSecrets(asset, kept) };
  }

  function withoutSecretsIn(event: ToolEvent): ToolEvent {
    const { version, type } = event;
    const cleaned = clean(event);
    if (cleaned === event) return event;
    const checked = checkToolEvent({ ...cleaned, version, type });
    return checked.kind === "event" ? checked.event : LEFT_OUT;
  }

  function cleanPort(port: AttemptPort): AttemptPort {
    return {
      take: (received) => port.take(cleanEvent(received)),
      flush: () => port.flush(),
      ask: (question) => port.ask(clean(question)),
      clock: port.clock,
    };
  }
  const hasSecrets = Object.keys(kept).length > 0;
  return { mount: { tool, storyDir, secrets }, clean, cleanPort: hasSecrets ? cleanPort : (port) => port };
}
