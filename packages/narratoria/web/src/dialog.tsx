/** A dialog over everything else: the browser's own, which keeps the focus inside and closes on Esc. */
import { type ReactNode, useEffect, useId, useRef } from "react";
import { Icon } from "./icon.tsx";

interface DialogProps {
  title: string;
  /** Called when it was closed by any means. */
  close: () => void;
  children: ReactNode;
}

export function Dialog({ title, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      // A menu that opened it is gone by now; then the focus stays where the browser puts it.
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      // Keys pressed here mean nothing to the story behind.
      onKeyDown={(event) => event.stopPropagation()}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div className="dialog-content">
        <header>
          <h2 id={heading}>{title}</h2>
          <button type="button" className="text-button" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
