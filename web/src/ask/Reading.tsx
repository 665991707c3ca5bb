import { IconPencil } from "@tabler/icons-react";
import { useState } from "react";
import { say } from "../language";
import { IconButton } from "../ui/Button";
import styles from "./ask.module.css";
import type { Turn } from "./turn";

const READ_AS = /read as: (.+)$/; // how the program says what it understood

/** How the question was understood; said otherwise, it is asked anew. */
export function Reading({ turn, ask }: { turn: Turn; ask: (question: string) => void }) {
  const [text, setText] = useState<string | null>(null);
  const understood = turn.steps.at(-1)?.decision.reasoning.match(READ_AS)?.[1];
  if (!understood) return null;
  if (text === null) {
    return (
      <p className={styles.understood}>
        {say.ask.readAs} {understood}
        <IconButton label={say.ask.readAgain} onClick={() => setText(understood)}>
          <IconPencil size={15} aria-hidden />
        </IconButton>
      </p>
    );
  }
  return (
    <form
      className={styles.understood}
      onSubmit={(event) => {
        event.preventDefault();
        setText(null);
        if (text.trim() && text !== understood) ask(text);
      }}
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: pressing the pencil asked for it
        autoFocus
        aria-label={say.ask.readAgain}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && setText(null)}
      />
    </form>
  );
}
