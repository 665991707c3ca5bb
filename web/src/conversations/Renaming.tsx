import { type FormEvent, useId, useRef, useState } from "react";
import { Button } from "../ui/Button";
import styles from "./conversations.module.css";
import { isTitle } from "./list";

interface RenamingProps {
  title: string;
  rename: (title: string) => Promise<void>;
  done: () => void;
}

/** A title in the making: Enter keeps it, Escape leaves it as it was. */
export function Renaming({ title, rename, done }: RenamingProps) {
  const [text, setText] = useState(title);
  const [error, setError] = useState<string | null>(null);
  const sending = useRef(false);
  const id = useId();
  const keep = async (event: FormEvent) => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted === title) return done();
    if (!isTitle(wanted)) return setError("A title needs a letter or a figure.");
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
        aria-label="New title"
        aria-invalid={error !== null}
        aria-describedby={error ? id : undefined}
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && done()}
      />
      <Button type="submit" kind="primary">
        Save
      </Button>
      <Button onClick={done}>Cancel</Button>
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
