/** A host to be killed: `node container-host.ts IMAGE` runs a container that sleeps. `python-container.test.ts` starts it. */
import { createContainerRunner } from "../src/runners/python/container.ts";
import { mountManifest } from "../src/runtime/mounts/read-manifest.ts";
import { callPython } from "./python-story.ts";

const [image = ""] = process.argv.slice(2);
const about = { name: "sleeper", kind: "tool", protocol: "namel3ss/1", entry: "a:b", capabilities: [] };
const container = { image, command: ["/bin/sh", "-c", "sleep 300"] };
const reading = mountManifest({ ...about, transport: { type: "stdio" }, container }, "/story", "/story");
if (reading.kind === "invalid") throw new Error(JSON.stringify(reading.problems));
await callPython(createContainerRunner({ maxResponseBytes: 1024 }), reading.tool, { timeoutMs: 200_000 });
