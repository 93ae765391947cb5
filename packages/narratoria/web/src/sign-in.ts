/**
 * Signs this origin in. What the address brings, a one-time code or the token, leaves it and the history before
 * anything else happens; the key given for it stays with this origin, which a cookie would not: every server on this
 * machine would receive it. `api.ts` sends it with each request.
 */
const KEY = "narratoria:key";

/** Where a browser keeps nothing, a page is signed in as long as it is open. */
let keyOfThisPage: string | null = null;

/** A code that was used already does no harm to somebody who is signed in. */
export async function signIn(): Promise<void> {
  const brought = takeFromAddress();
  if (brought === null) return;
  try {
    const headers = { "content-type": "application/json" };
    const response = await fetch("/api/sign-in", { method: "POST", headers, body: JSON.stringify(brought) });
    if (!response.ok) return;
    const { key } = (await response.json()) as { key: string };
    keyOfThisPage = key;
    localStorage.setItem(KEY, key);
  } catch {
    // The server cannot be reached, or the browser keeps nothing; the first request says what follows from it.
  }
}

export function authorization(): { authorization?: string } {
  const key = keptKey() ?? keyOfThisPage;
  return key === null ? {} : { authorization: `Bearer ${key}` };
}

/** Read each time: another tab may have signed in anew. */
function keptKey(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function takeFromAddress(): { code: string } | { token: string } | null {
  const address = new URL(location.href);
  const code = address.searchParams.get("code");
  const token = address.searchParams.get("token");
  if (code === null && token === null) return null;
  address.searchParams.delete("code");
  address.searchParams.delete("token");
  history.replaceState(history.state, "", address);
  return code === null ? { token: token ?? "" } : { code };
}
