/** Where the player types. Enter sends, Shift+Enter breaks the line; what is typed outlives errors and reloads. */
import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useRef, useState } from "react";
import { Icon } from "../icon.tsx";
import { PHONE, useMedia } from "../use-media.ts";

export interface ComposerHandle {
  focus: () => void;
}

interface ComposerProps {
  ref: Ref<ComposerHandle>;
  sessionId: string;
  isBusy: boolean;
  hasEnded: boolean;
  send: (text: string) => Promise<boolean>;
}

export function Composer({ ref, sessionId, isBusy, hasEnded, send }: ComposerProps) {
  const key = `narratoria:draft:${sessionId}`;
  const [draft, setDraft] = useState(() => localStorage.getItem(key) ?? "");
  const field = useRef<HTMLTextAreaElement>(null);
  const isPhone = useMedia(PHONE);
  const focus = (): void => {
    // On a touch screen the keyboard would jump up and cover the story.
    if (window.matchMedia("(pointer: fine)").matches) field.current?.focus({ preventScroll: true });
  };
  useImperativeHandle(ref, () => ({ focus }));
  useEffect(() => {
    // Until the field around it has drawn itself, the text area cannot take the focus.
    const frame = requestAnimationFrame(focus);
    return () => cancelAnimationFrame(frame);
  }, []);
  const change = (text: string): void => {
    setDraft(text);
    if (text === "") localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  };
  const submit = async (): Promise<void> => {
    const text = draft.trim();
    if (text === "" || isBusy) return;
    // Kept in the browser until the server has them; what is typed meanwhile takes their place.
    setDraft("");
    const wasTaken = await send(text);
    if ((field.current?.value ?? "") === "") change(wasTaken ? "" : draft);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  };
  const label = hasEnded ? "The story has ended. Say something anyway?" : "What do you do?";
  return (
    <form
      className="composer"
      aria-label="Your move"
      aria-busy={isBusy}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <m3e-form-field className="composer-field" variant="filled" hide-subscript="always">
        <textarea
          ref={field}
          id="move"
          rows={1}
          aria-label={label}
          placeholder={isBusy ? "The story is answering…" : label}
          value={draft}
          enterKeyHint="send"
          onChange={(event) => change(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </m3e-form-field>
      <button
        type="submit"
        className="send"
        aria-label={isBusy ? "Busy" : "Send"}
        disabled={isBusy || draft.trim() === ""}
      >
        {isBusy ? <m3e-circular-progress-indicator indeterminate aria-label="Busy" /> : <Icon name="send-fill" />}
      </button>
      {!isPhone && (
        <p className="visually-hidden">Enter sends, Shift and Enter break the line, Escape stops the story.</p>
      )}
    </form>
  );
}
