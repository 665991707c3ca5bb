import { type FormEvent, useId, useRef, useState } from "react";
import { say } from "../language";
import { Button } from "./Button";
import styles from "./Renaming.module.css";

interface RenamingProps {
  title: string;
  /** What is wrong with a title, in words; null: nothing. */
  wrong: (title: string) => string | null;
  rename: (title: string) => Promise<void>;
  done: () => void;
}

/** A title in the making: Enter keeps it, Escape leaves it as it was. */
export function Renaming({ title, wrong, rename, done }: RenamingProps) {
  const [text, setText] = useState(title);
  const [error, setError] = useState<string | null>(null);
  const sending = useRef(false);
  const id = useId();
  const keep = async (event: FormEvent) => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted === title) return done();
    const fault = wrong(wanted);
    if (fault) return setError(fault);
    if (sending.current) return;
    sending.current = true;
    try {
      await rename(wanted);
      done();
    } catch (failed) {
      setError((failed as Error).message);
      sending.current = false;
    }
  };
  return (
    <form className={styles.renaming} onSubmit={keep}>
      <input
        ref={select}
        aria-label={say.renaming.label}
        aria-invalid={error !== null}
        aria-describedby={error ? id : undefined}
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.preventDefault(); // nothing else is closed by it
          done();
        }}
      />
      <Button type="submit" kind="primary">
        {say.renaming.save}
      </Button>
      <Button onClick={done}>{say.renaming.cancel}</Button>
      {error && (
        <p id={id} role="alert">
          {error}
        </p>
      )}
    </form>
  );
}

function select(field: HTMLInputElement | null): void {
  field?.select(); // the focus comes along
}
