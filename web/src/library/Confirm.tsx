import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { say } from "../language";
import { Button } from "../ui/Button";
import styles from "./library.module.css";

interface ConfirmProps {
  title: string;
  children: ReactNode;
  yes: string;
  run: () => void;
  close: () => void;
}

/** Asks before something that takes long or cannot be taken back. Shown as long as it is mounted. */
export function Confirm({ title, children, yes, run, close }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close(); // which gives the focus back, as long as it is in the page
  }, []);
  return (
    <dialog ref={dialog} className={styles.dialog} aria-labelledby={id} onCancel={close}>
      <h2 id={id}>{title}</h2>
      <div className={styles.dialogText}>{children}</div>
      <div className={styles.actions}>
        <Button onClick={close}>{say.library.cancel}</Button>
        <Button
          kind="primary"
          onClick={() => {
            run();
            close();
          }}
        >
          {yes}
        </Button>
      </div>
    </dialog>
  );
}
