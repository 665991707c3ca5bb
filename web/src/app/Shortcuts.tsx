import { useLayoutEffect, useRef } from "react";
import { useNavigate } from "react-router";
import { FRESH } from "../ask/useTalk";
import { say } from "../language";
import { Button } from "../ui/Button";
import styles from "./Shell.module.css";

const KEYS = [
  { keys: ["/", "Ctrl K"], does: say.app.keys.search },
  { keys: ["n"], does: say.app.keys.fresh },
  { keys: ["Enter"], does: say.app.keys.ask },
  { keys: ["Esc"], does: say.app.keys.stop },
  { keys: ["?"], does: say.app.keys.list },
];

/** Keys that work everywhere, and the list of them that `?` shows. */
export function Shortcuts({ close }: { close: (() => void) | null }) {
  const navigate = useNavigate();
  const list = useRef<HTMLDialogElement>(null);
  // Before anything is painted: who sees the page may press a key.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const search = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
      const plain = !(event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target));
      if (event.defaultPrevented || list.current?.open) return;
      if (search || (plain && event.key === "/")) navigate("/search");
      else if (plain && event.key === "n") navigate("/ask", FRESH());
      else if (plain && event.key === "?") list.current?.showModal();
      else if (event.key === "Escape" && close) close();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [navigate, close]);
  return (
    <dialog ref={list} className={styles.shortcuts} aria-labelledby="shortcuts">
      <h2 id="shortcuts">{say.app.keys.title}</h2>
      <dl>
        {KEYS.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <Button type="submit">{say.app.keys.close}</Button>
      </form>
    </dialog>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  );
}
