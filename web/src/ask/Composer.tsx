import { IconArrowUp, IconMessagePlus, IconPlayerStopFilled } from "@tabler/icons-react";
import { type KeyboardEvent, lazy, type RefObject, Suspense, useEffect } from "react";
import type { LibraryItem } from "../api/types";
import { say } from "../language";
import { Button } from "../ui/Button";
import styles from "./ask.module.css";
import { ScopeChoice } from "./ScopeChoice";
import type { Scope } from "./scope";
import type { Ways } from "./ways";

const WayChoice = lazy(() => import("./WayChoice")); // the first view does without

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
  ways: Ways | null;
  way: string | null;
  setWay: (way: string | null) => void;
  library: LibraryItem | null | undefined;
  scope: Scope;
  setScope: (change: (scope: Scope) => Scope) => void;
  fresh: (() => void) | undefined;
}

/** The one field. Enter asks, Shift and Enter begin a new line. */
export function Composer(props: ComposerProps) {
  const { field, draft, setDraft, send, stop, busy } = props;
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
          aria-label={say.ask.question}
          placeholder={say.ask.placeholder}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKey}
        />
        {busy ? (
          <Button kind="primary" onClick={stop} aria-label={say.ask.stop}>
            <IconPlayerStopFilled size={16} aria-hidden />
          </Button>
        ) : (
          <Button kind="primary" type="submit" aria-label={say.ask.ask} disabled={!draft.trim()}>
            <IconArrowUp size={18} aria-hidden />
          </Button>
        )}
      </div>
      <p className={styles.hint} role="status">
        {props.waiting && draft.trim() && say.ask.comesNext}
        {draft.length >= LONGEST && say.ask.tooLong(LONGEST)}
      </p>
      <div className={styles.options}>
        {props.library && (
          <ScopeChoice
            library={props.library}
            scope={props.scope}
            choose={props.setScope}
            done={() => field.current?.focus()}
          />
        )}
        <label title={say.ask.thoroughWhy}>
          <input
            type="checkbox"
            checked={props.thorough}
            onChange={(event) => props.setThorough(event.target.checked)}
          />
          {say.ask.thorough}
        </label>
        {props.ways && props.ways.all.length > 1 && (
          <Suspense>
            <WayChoice ways={props.ways} way={props.way} choose={props.setWay} />
          </Suspense>
        )}
        {props.fresh && (
          <Button kind="quiet" onClick={props.fresh}>
            <IconMessagePlus size={16} aria-hidden />
            <span>
              {say.ask.fresh.short}
              <span className={styles.wide}>{say.ask.fresh.rest}</span>
            </span>
          </Button>
        )}
      </div>
    </form>
  );
}
