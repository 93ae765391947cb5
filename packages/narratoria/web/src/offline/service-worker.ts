/**
 * Runs beside the page: keeps the app itself, so that it opens without the server. What can then be read is what
 * `kept-snapshots.ts` put aside; nothing else of the API is ever answered from here.
 *
 * 1. A page is always asked of the server first: after an update nobody gets the old app.
 * 2. Files with a hash in their name never change, so the kept ones are as good as new ones.
 * 3. The version before is kept, too: a tab that still runs it may yet need a part of it.
 */

/** The part of a service worker's world used here: TypeScript knows either that world or a page's. */
interface WorkerScope {
  addEventListener(type: "install" | "activate", run: (event: LifeEvent) => void): void;
  addEventListener(type: "fetch", run: (event: FetchEvent) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  location: Location;
}
interface LifeEvent {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends LifeEvent {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}

declare const self: WorkerScope;

// Makes this file a module, so that `self` above is its own. Nothing of it is left in the built worker.
export type { WorkerScope };

/** Written in when the app is built: every file of the app, and a name for this set of them. */
const SHELL = ["%SHELL%"];
const SHELL_CACHE = "narratoria-shell-%VERSION%";
const SHELL_CACHES = /^narratoria-shell-/;
/** The same as in `kept-snapshots.ts`: a shared module would become a file that not every browser's worker can load. */
const SNAPSHOT_CACHE = "narratoria-snapshots";
const KEPT_HEADER = "x-narratoria-kept";
/** A session's snapshot, and nothing below it. */
const SNAPSHOT_PATH = /^\/api\/sessions\/[^/]+$/;

self.addEventListener("install", (event) => {
  event.waitUntil(keepShell().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(forgetOldShells().then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (SNAPSHOT_PATH.test(pathname)) event.respondWith(askOrRemember(request, pathname));
  else if (pathname.startsWith("/api")) return;
  else if (pathname.startsWith("/assets/")) event.respondWith(rememberOrAsk(request));
  else if (request.mode === "navigate") event.respondWith(askOrShell(request, "/index.html"));
  else if (SHELL.includes(pathname)) event.respondWith(askOrShell(request, pathname));
});

async function keepShell(): Promise<void> {
  const cache = await caches.open(SHELL_CACHE);
  await cache.addAll(SHELL.map((path) => new Request(path, { cache: "reload" })));
}

async function forgetOldShells(): Promise<void> {
  const older = (await caches.keys()).filter((name) => SHELL_CACHES.test(name) && name !== SHELL_CACHE);
  for (const name of older.slice(0, -1)) await caches.delete(name);
}

async function rememberOrAsk(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fetch(request);
}

async function askOrShell(request: Request, path: string): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.open(SHELL_CACHE).then((cache) => cache.match(path));
    if (kept === undefined) throw error;
    return kept;
  }
}

/** Only when the server cannot be reached, and marked, so that the page does not take it for the server's word. */
async function askOrRemember(request: Request, path: string): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.open(SNAPSHOT_CACHE).then((cache) => cache.match(path));
    if (kept === undefined) throw error;
    return new Response(kept.body, { headers: { "content-type": "application/json", [KEPT_HEADER]: "yes" } });
  }
}
