import { IconArrowUp, IconMessagePlus, IconPlayerStopFilled } from "@tabler/icons-react";
import { type KeyboardEvent, type RefObject, useEffect } from "react";
import type { LibraryItem } from "../api/types";
import { Button } from "../ui/Button";
import styles from "./ask.module.css";
import { ScopeChoice } from "./ScopeChoice";

const LONGEST = 4000; // characters of a question, as the server takes them

interface ComposerProps {
  field: RefObject<HTMLTextAreaElement | null>;
  draft: string;
  setDraft: (text: string) => void;
  send: (question: string) => void;
  stop: () => void;
  busy: boolean;
  /** Asked while another answer is written: it comes next. */
  waiting: boolean;
  wait: () => void;
  thorough: boolean;
  setThorough: (on: boolean) => void;
  library: LibraryItem | null | undefined;
  scope: string | null;
  setScope: (scope: string | null) => void;
  fresh: (() => void) | undefined;
}

/** The one field. Enter asks, Shift and Enter begin a new line. */
export function Composer(props: ComposerProps) {
  const { field, draft, setDraft, send, stop, busy, scope } = props;
  useEffect(() => {
    const input = field.current;
    if (!input) return;
    input.style.height = "auto";
    input.style.height = `${Math.min(input.scrollHeight, draft ? 220 : 44)}px`;
  }, [field, draft]);
  useEffect(() => field.current?.focus({ preventScroll: true }), [field]);
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape" && busy) {
      event.preventDefault();
      stop();
    }
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (busy) props.wait();
    else send(draft);
  };
  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) send(draft);
      }}
    >
      <div className={styles.field}>
        <textarea
          ref={field}
          rows={1}
          maxLength={LONGEST}
          aria-label="Your question"
          placeholder="Ask your files"
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKey}
        />
        {busy ? (
          <Button kind="primary" onClick={stop} aria-label="Stop">
            <IconPlayerStopFilled size={16} aria-hidden />
          </Button>
        ) : (
          <Button kind="primary" type="submit" aria-label="Ask" disabled={!draft.trim()}>
            <IconArrowUp size={18} aria-hidden />
          </Button>
        )}
      </div>
      <p className={styles.hint} role="status">
        {props.waiting && draft.trim() && "Asked as soon as this answer is written."}
        {draft.length >= LONGEST &&
          `A question has ${LONGEST.toLocaleString("en")} characters at most.`}
      </p>
      <div className={styles.options}>
        {props.library && (
          <ScopeChoice library={props.library} scope={scope} choose={props.setScope} />
        )}
        <label title="Slower: the model reads of papers what rules cannot">
          <input
            type="checkbox"
            checked={props.thorough}
            onChange={(event) => props.setThorough(event.target.checked)}
          />
          Read every paper
        </label>
        {props.fresh && (
          <Button kind="quiet" onClick={props.fresh}>
            <IconMessagePlus size={16} aria-hidden />
            New<span className={styles.wide}> conversation</span>
          </Button>
        )}
      </div>
    </form>
  );
}
