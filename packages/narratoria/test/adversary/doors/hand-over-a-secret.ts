import { zstdDecompressSync } from "node:zlib";
import { askingStory, type Door } from "../door.ts";

const SCRIPT = `
import base64
secret = os.environ["DOOR_SECRET"]
spelled = [secret, secret.encode().hex(), base64.b64encode(b"x" + secret.encode()).decode(), json.dumps(secret)]
for n, text in enumerate(spelled):
  path = os.path.join(os.environ["NARRATORIA_ASSET_DIR"], f"{n}.bin")
  with open(path, "w") as file: file.write("x" * 262140 + text)
  say(type="asset", assetId=str(n), kind="data", mediaType="application/octet-stream", path=path)
  say(type="log", level="info", message=text)
  say(type="state_patch", patch={text: text})
sys.stderr.write(secret)`;

export default {
  mustNot: "leave a granted secret in an asset, the state, the log or an export, in the spellings that programs use",
  attack: async (host) => {
    const story = host.story(askingStory(["secrets.read:DOOR_SECRET"], SCRIPT));
    const session = (await host.begin(story)) ?? "";
    await host.say(session, "go");
    const view = await host.answer(session, "once");
    const headers = { authorization: `Bearer ${host.token}` };
    const exported = await fetch(`${host.url}/api/sessions/${session}/export`, { headers });
    const file = zstdDecompressSync(Buffer.from(await exported.arrayBuffer())).toString();
    const all = JSON.stringify(view) + file;
    const secret = "swordfish-4711";
    const found = [secret, Buffer.from(secret).toString("hex")].find((text) => all.includes(text));
    if (found !== undefined) return `${found} is kept`;
    if (file.includes(host.folder)) return "an export says where things lie on this machine";
    const stored = view.turns
      .at(-1)
      ?.passages.filter((passage) => passage.kind === "asset" && passage.asset.id !== null);
    return stored?.length === 0 ? null : `assets are kept: ${JSON.stringify(stored)}`;
  },
} satisfies Door;
