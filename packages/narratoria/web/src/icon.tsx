/** A Material Symbol by name, from `icons/`. Decoration only: whatever holds it has the words. */
const SOURCES = import.meta.glob<string>("./icons/*.svg", { query: "?raw", import: "default", eager: true });

export function Icon({ name, slot }: { name: string; slot?: string }) {
  const source = SOURCES[`./icons/${name}.svg`] ?? "";
  // Our own files, read when the app was built.
  return <span className="icon" aria-hidden="true" slot={slot} dangerouslySetInnerHTML={{ __html: source }} />;
}
