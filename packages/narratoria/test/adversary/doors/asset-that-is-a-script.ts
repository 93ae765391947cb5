import { storyOf, type Door } from "../door.ts";

const TYPES = ["text/jscript", "text/html", "application/xhtml+xml", "image/svg+xml; a=b", "text/x-javascript", "x/y"];

export default {
  mustNot: "serve an asset that a browser would run",
  attack: async (host) => {
    const script = `
for n, kind in enumerate(${JSON.stringify(TYPES)}):
  path = os.path.join(os.environ["NARRATORIA_ASSET_DIR"], str(n))
  with open(path, "w") as file: file.write("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
  say(type="asset", assetId=str(n), kind="text", mediaType=kind, path=path)`;
    const session = await host.begin(host.story(storyOf(script)));
    const view = JSON.stringify(await host.say(session ?? "", "go"));
    const ids = [...new Set([...view.matchAll(/"asset:([^"]+)"|"id":"([^"]+)"/g)].map(([, a, b]) => a ?? b ?? ""))];
    for (const id of ids) {
      const headers = { authorization: `Bearer ${host.token}` };
      const answer = await fetch(`${host.url}/api/assets/${encodeURIComponent(id)}`, { headers });
      await answer.body?.cancel();
      if (answer.status !== 200) continue;
      const type = answer.headers.get("content-type") ?? "";
      const policy = answer.headers.get("content-security-policy") ?? "";
      const isHarmless = /octet-stream|text\/plain/.test(type) || /sandbox/.test(policy);
      if (!isHarmless || answer.headers.get("x-content-type-options") !== "nosniff") return `${type}; ${policy}`;
    }
    return null;
  },
} satisfies Door;
