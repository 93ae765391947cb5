/** Starts the service worker where the browser has them; without it, everything but reading offline works. */
export function registerServiceWorker(): void {
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (container === undefined || import.meta.env.DEV) return;
  container.register("/sw.js", { updateViaCache: "none" }).catch(() => undefined);
}
