/** The narrator's text. `markdown.tsx` knows Markdown and comes a moment later; until then the bare words stand here. */
import { lazy, Suspense } from "react";
import type { AssetView } from "../../../src/story/session-view.ts";

// Asked for at once, while the session is being fetched.
const loading = import("./markdown.tsx");
const Markdown = lazy(() => loading);

export function Prose({ text, assets }: { text: string; assets: AssetView[] }) {
  return (
    <div className="prose">
      <Suspense fallback={<p className="bare">{text}</p>}>
        <Markdown text={text} assets={assets} />
      </Suspense>
    </div>
  );
}
