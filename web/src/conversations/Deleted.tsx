import { useEffect, useId, useLayoutEffect, useRef } from "react";
import { say } from "../language";
import { Button } from "../ui/Button";
import { Failure } from "../ui/Notice";
import styles from "./conversations.module.css";
import { type Deletion, WAIT } from "./deletions";

interface DeletedProps {
  deletion: Deletion;
  undo: () => void;
  again: () => void;
  /** Moves the focus on, when this goes with the focus in it. */
  pass: (from: HTMLElement) => void;
}

/** Stands where a conversation was, as long as its deletion can be taken back. */
export function Deleted({ deletion, undo, again, pass }: DeletedProps) {
  const bar = useRef<HTMLDivElement>(null);
  const id = useId();
  const latest = useRef(pass);
  latest.current = pass;
  const { item, state, error } = deletion;
  useEffect(() => bar.current?.querySelector("button")?.focus(), []); // its row is gone
  useLayoutEffect(() => {
    const own = bar.current;
    return () => {
      if (own?.contains(document.activeElement)) latest.current(own);
    };
  }, []);
  return (
    <div ref={bar}>
      {state === "failed" ? (
        <div className={styles.failed}>
          <Failure error={error} again={again} />
          <Button kind="quiet" onClick={undo}>
            {say.conversations.keep(item.title)}
          </Button>
        </div>
      ) : (
        <div className={styles.deleted}>
          <p role="status" id={id}>
            {say.conversations.removed(item.title)}
          </p>
          <Button
            aria-describedby={id}
            aria-disabled={state === "sending"}
            onClick={() => state === "waiting" && undo()}
          >
            {say.conversations.undo}
          </Button>
          <i style={{ animationDuration: `${WAIT}ms` }} aria-hidden />
        </div>
      )}
    </div>
  );
}
