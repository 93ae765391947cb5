/** Something went wrong, said inline: what, the details for those who want them, again, or away with it. */
import { useState } from "react";
import { Icon } from "./icon.tsx";

interface NoticeProps {
  /** Said aloud at once; what is part of the story is read with it. */
  isNews?: boolean;
  message: string;
  details: string | null;
  retry?: (() => void) | null;
  dismiss?: () => void;
}

export function Notice({ isNews = false, message, details, retry = null, dismiss }: NoticeProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="notice problem" role={isNews ? "alert" : "note"}>
      <Icon name="error" />
      <p className="notice-text">{message}</p>
      <div className="notice-actions">
        {details !== null && (
          <button type="button" className="text-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Hide details" : "Show details"}
          </button>
        )}
        {retry !== null && (
          <button type="button" className="text-button" onClick={retry}>
            Retry
          </button>
        )}
        {dismiss !== undefined && (
          <button type="button" className="text-button" onClick={dismiss}>
            Dismiss
          </button>
        )}
      </div>
      {isOpen && <pre className="notice-details">{details}</pre>}
    </div>
  );
}
