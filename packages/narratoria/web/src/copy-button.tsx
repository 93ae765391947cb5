/** Copies a text and says so. The text is made when it is asked for: it may be large. */
import { useState } from "react";
import { Icon } from "./icon.tsx";

export function CopyButton({ text, label = "Copy" }: { text: () => string; label?: string }) {
  const [outcome, setOutcome] = useState<"copied" | "refused" | null>(null);
  const copy = async (): Promise<void> => {
    // Only pages from this machine or over https may write to the clipboard.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    const written = clipboard?.writeText(text()).then(() => "copied" as const);
    setOutcome(await (written?.catch(() => "refused" as const) ?? "refused"));
  };
  const words = { copied: "Copied", refused: "This browser does not allow copying here" };
  return (
    <button type="button" className="text-button" onClick={() => void copy()}>
      <Icon name={outcome === "copied" ? "check" : "content_copy"} />
      <span aria-live="polite">{outcome === null ? label : words[outcome]}</span>
    </button>
  );
}
