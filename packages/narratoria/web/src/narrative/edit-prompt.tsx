/** A prompt being said differently; sending it makes another take beside the first. */
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";

interface EditPromptProps {
  text: string;
  cancel: () => void;
  send: (text: string) => Promise<void>;
}

export function EditPrompt({ text, cancel, send }: EditPromptProps) {
  const [draft, setDraft] = useState(text);
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, [text]);
  const submit = (): void => void (draft.trim() !== "" && send(draft.trim()));
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") {
      event.stopPropagation();
      cancel();
    } else if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      submit();
    }
  };
  return (
    <div className="edit-prompt">
      <label htmlFor={id} className="visually-hidden">
        Say it differently
      </label>
      <textarea
        id={id}
        ref={field}
        rows={1}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="edit-actions">
        <m3e-button variant="text" onClick={cancel}>
          Cancel
        </m3e-button>
        <m3e-button variant="tonal" disabled={draft.trim() === ""} onClick={submit}>
          Send as a new take
        </m3e-button>
      </div>
    </div>
  );
}
