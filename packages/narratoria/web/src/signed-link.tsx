/** A link that saves a file; its address is asked for when it is wanted, since one from an hour ago leads nowhere. */
import type { MouseEvent, ReactNode } from "react";
import { signedAddress } from "./signed-address.ts";

interface SignedLinkProps {
  path: string;
  /** What the file is called; without a name the server gives one. */
  name: string;
  className: string;
  children: ReactNode;
}

export function SignedLink({ path, name, className, children }: SignedLinkProps) {
  const download = (event: MouseEvent): void => {
    event.preventDefault();
    void downloadFrom(path, name);
  };
  return (
    <a className={className} href={path} download={name} onClick={download}>
      {children}
    </a>
  );
}

export async function downloadFrom(path: string, name: string): Promise<void> {
  const address = await signedAddress(path);
  if (address === null) return;
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}
