import { useEffect, useMemo, useRef } from "react";
import type { View } from "../api/types";
import { say } from "../language";
import { Marked } from "../ui/Marked";
import { linesOf } from "./lines";
import { MailView } from "./MailView";
import { Pager } from "./Pager";
import styles from "./source.module.css";

interface TextProps {
  view: View;
  /** Not as a mail, but as it was read. */
  plain: boolean;
  turnTo: (page: number) => void;
}

/** A file's text with its line numbers, or a mail; what was quoted is marked. */
export function TextView({ view, plain, turnTo }: TextProps) {
  const lines = useMemo(() => linesOf(view), [view]);
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place is scrolled to anew
  useEffect(() => {
    box.current?.querySelector("mark")?.scrollIntoView({ block: "center" });
  }, [view, plain]);
  if (!view.text) return <p className={styles.reason}>{say.source.noText}</p>;
  return (
    <>
      {view.more_before && <p className={styles.cut}>{say.source.begins}</p>}
      <div ref={box}>
        {view.kind === "mail" && !plain ? (
          <MailView lines={lines} />
        ) : (
          <ol className={styles.text} data-kind={view.kind}>
            {lines.map((line) => (
              <li key={line.number} data-marked={line.marks.length > 0 || undefined}>
                <span className={styles.lineNumber} aria-hidden>
                  {line.number}
                </span>
                <span dir="auto">
                  <Marked text={line.text} marks={line.marks} />
                </span>
              </li>
            ))}
          </ol>
        )}
      </div>
      {view.more_after && <p className={styles.cut}>{say.source.goesOn}</p>}
      {view.page !== null && view.pages > 1 && (
        <footer className={styles.foot}>
          <Pager page={view.page} pages={view.pages} label={view.label} turnTo={turnTo} />
        </footer>
      )}
    </>
  );
}
