/** What stands for an asset that cannot be shown: every detail, the reason, and a way to have it anyway. */
import type { AssetView } from "../../../src/story/session-view.ts";
import { assetPath } from "../api.ts";
import { Icon } from "../icon.tsx";
import { Name } from "../name.tsx";
import { SignedLink } from "../signed-link.tsx";
import { AssetFacts } from "./asset-facts.tsx";

interface AssetCardProps {
  asset: AssetView;
  skill: string;
  /** Why this browser does not show it; what was refused has a reason of its own. */
  reason: string | null;
}

export function AssetCard({ asset, skill, reason }: AssetCardProps) {
  const words = reason ?? asset.reason;
  return (
    <div className="card placeholder">
      <Icon name={asset.status === "refused" ? "block" : "draft"} />
      <div>
        <h3>
          <Name text={asset.assetId} />
        </h3>
        {words !== undefined && <p>{words}</p>}
        <AssetFacts asset={asset} skill={skill} />
        {asset.id !== null && (
          <p>
            <SignedLink className="asset-download" path={assetPath(asset.id)} name={asset.assetId}>
              Download
            </SignedLink>
          </p>
        )}
      </div>
    </div>
  );
}
