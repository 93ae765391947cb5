/**
 * A mount with the secrets it was granted, and what keeps them (and those of its address) from coming back: the one place in which whoever runs a
 * tool or calls a module gets both. `secrets.ts` finds them in text, `secrets-in-assets.ts` in bytes.
 */
import type { EquippedMount, Mounted } from "../seams/resolved-tool.ts";
import type { AttemptPort, ReceivedEvent } from "../seams/tool-runner.ts";
import { withoutSecrets } from "./secrets-in-assets.ts";
import { redact, secretsFor, type Secrets } from "./secrets.ts";

export interface Equipment {
  readonly mount: EquippedMount;
  /** The same without the secrets. */
  clean<T>(value: T): T;
  /** A port to which nothing comes that holds one. */
  cleanPort(port: AttemptPort): AttemptPort;
}

export function equip({ tool, storyDir }: Mounted): Equipment {
  const secrets = secretsFor(tool.needs, process.env);
  const kept: Secrets = { ...secrets, ...Object.fromEntries((tool.credentials?.secrets ?? []).entries()) };
  const clean = <T>(value: T): T => redact(value, kept);

  function cleanEvent(received: ReceivedEvent): ReceivedEvent {
    const { event, text, warnings, asset } = received;
    const said = clean({ event, text, warnings });
    return asset === undefined ? said : { ...said, asset: withoutSecrets(asset, kept) };
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
