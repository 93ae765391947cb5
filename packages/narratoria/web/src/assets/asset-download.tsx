/** Saves an asset as a file; its address is asked for when it is wanted, since one from an hour ago leads nowhere. */
import type { MouseEvent } from "react";
import { assetPath } from "../api.ts";
import { signedAddress } from "../signed-address.ts";

export function AssetDownload({ id, name }: { id: string; name: string }) {
  const download = (event: MouseEvent): void => {
    event.preventDefault();
    void downloadFrom(assetPath(id), name);
  };
  return (
    <a className="asset-download" href={assetPath(id)} download={name} onClick={download}>
      Download
    </a>
  );
}

/** Without a name the server gives one. */
export async function downloadFrom(path: string, name: string): Promise<void> {
  const address = await signedAddress(path);
  if (address === null) return;
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}
