/**
 * Markdown without raw HTML: what looks like HTML is shown as the text it is. Links lead out only over the web or
 * mail; pictures are only this turn's own assets.
 */
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import type { AssetView } from "../../../src/story/session-view.ts";
import { AssetFigure } from "../assets/asset-figure.tsx";

const SAFE_LINK = /^(?:https?:|mailto:)/i;
const ASSET = /^asset:(.+)$/;

export default function Markdown({ text, assets }: { text: string; assets: AssetView[] }) {
  const named = (address: string | undefined): AssetView | undefined => {
    const assetId = ASSET.exec(address ?? "")?.[1];
    return assets.findLast((asset) => asset.assetId === assetId);
  };
  const components: Components = {
    a: ({ href, children }) => {
      const asset = named(href);
      if (asset !== undefined) return <AssetFigure asset={asset} skill={asset.toolId} />;
      if (!SAFE_LINK.test(href ?? "")) return <span>{children}</span>;
      return (
        <a href={href} target="_blank" rel="noopener noreferrer">
          {children}
        </a>
      );
    },
    img: ({ src, alt }) => {
      const asset = named(typeof src === "string" ? src : undefined);
      return asset === undefined ? <span>{alt}</span> : <AssetFigure asset={asset} skill={asset.toolId} />;
    },
    // A figure may not stand inside a paragraph.
    p: ({ children }) => <div className="paragraph">{children}</div>,
    // A heading in a story is below the page's and the turn's own.
    h1: ({ children }) => <h3>{children}</h3>,
    h2: ({ children }) => <h3>{children}</h3>,
  };
  return (
    <ReactMarkdown remarkPlugins={[remarkGfm]} components={components} urlTransform={keepKnownAddresses}>
      {linkBareAssets(text)}
    </ReactMarkdown>
  );
}

/** A line that is just `asset:torch` means the picture. */
function linkBareAssets(text: string): string {
  return text.replaceAll(/^asset:([\w.-]+)$/gm, "![$1](asset:$1)");
}

function keepKnownAddresses(address: string): string {
  return SAFE_LINK.test(address) || ASSET.test(address) ? address : "";
}
