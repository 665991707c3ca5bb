import { IconPencil } from "@tabler/icons-react";
import { type FormEvent, type KeyboardEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { say } from "../language";
import { IconButton } from "../ui/Button";
import styles from "./ask.module.css";
import type { Turn } from "./turn";

const READ_AS = /^[^:]+: (.+)$/; // "read as: …", in the page's language

interface ReadingProps {
  turn: Turn;
  /** An answer is being written: nothing else can be asked. */
  busy: boolean;
  ask: (question: string) => void;
}

/** How the question was understood; said otherwise, it is asked anew. */
export function Reading({ turn, busy, ask }: ReadingProps) {
  const [text, setText] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const last = turn.steps.at(-1);
  const queried = last?.decision.tool === "query" && (last.results.length > 0 || !turn.complete);
  const understood = queried ? last.decision.reasoning.match(READ_AS)?.[1] : undefined;
  if (!understood) return null;
  const close = () => {
    flushSync(() => setText(null));
    box.current?.querySelector("button")?.focus({ preventScroll: true });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    close();
    if (text?.trim() && text !== understood) ask(text);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault(); // the source beside it stays
    close();
  };
  return (
    <div ref={box}>
      {text === null ? (
        <p className={styles.understood}>
          {say.ask.readAs} {understood}
          {/* Not disabled, for it may have the focus. */}
          <IconButton
            label={say.ask.readAgain}
            aria-disabled={busy}
            onClick={() => !busy && setText(understood)}
          >
            <IconPencil size={15} aria-hidden />
          </IconButton>
        </p>
      ) : (
        <form className={styles.understood} onSubmit={submit}>
          <input
            // biome-ignore lint/a11y/noAutofocus: pressing the pencil asked for it
            autoFocus
            aria-label={say.ask.readAgain}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKey}
          />
        </form>
      )}
    </div>
  );
}
