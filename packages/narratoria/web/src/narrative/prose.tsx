/** The narrator's text. `markdown.tsx` knows Markdown and comes a moment later; until then the bare words stand here. */
import { lazy, Suspense } from "react";
import type { AssetView } from "../../../src/story/session-view.ts";

const Markdown = lazy(() => import("./markdown.tsx"));

export function Prose({ text, assets }: { text: string; assets: AssetView[] }) {
  return (
    <div className="prose">
      <Suspense fallback={<p className="bare">{text}</p>}>
        <Markdown text={text} assets={assets} />
      </Suspense>
    </div>
  );
}
