import type { Door } from "../door.ts";

export default {
  mustNot: "read another thing, later, or otherwise, with an address that was signed",
  attack: async (host) => {
    const [one, other] = [await host.begin(), await host.begin()];
    const path = `/api/sessions/${one}/export`;
    const { body } = await host.api("POST", "/api/signed-addresses", { paths: [path] });
    const address = (body as { addresses: Record<string, string> }).addresses[path] ?? "";
    const { search, searchParams } = new URL(address, host.url);
    const later = search.replace(searchParams.get("until") ?? "", String(Date.now() * 2));
    const attempts: [string, string][] = [
      ["GET", address.replace(one ?? "", other ?? "")],
      ["GET", path + later],
      ["GET", `/api/sessions/${one}${search}`],
      ["GET", `${path}/../../${other}/export${search}`],
      ["GET", `${path}%2f..${search}`],
      ["POST", address],
      ["DELETE", `/api/sessions/${one}${search}`],
      ["GET", `${address}&signature=x`.replace("signature", "Signature")],
    ];
    for (const [method, target] of attempts) {
      const { status } = await fetch(host.url + target, { method });
      if (status < 400) return `${method} ${target}: ${status}`;
    }
    return (await fetch(host.url + address)).status === 200 ? null : "the right address does not open either";
  },
} satisfies Door;
