/** A link to a place of the app: goes there without loading the page anew, unless a new tab was asked for. */
import type { AnchorHTMLAttributes } from "react";
import { addressOf, navigate, type PageRoute } from "./route.ts";

export function RouteLink({ to, ...rest }: { to: PageRoute } & AnchorHTMLAttributes<HTMLAnchorElement>) {
  return (
    <a
      {...rest}
      href={addressOf(to)}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        navigate(to);
      }}
    />
  );
}
