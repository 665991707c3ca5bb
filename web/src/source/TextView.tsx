import { useEffect, useMemo, useRef } from "react";
import type { View } from "../api/types";
import { Marked } from "../ui/Marked";
import { linesOf, type TextLine } from "./lines";
import { Pager } from "./PageView";
import { rowsOf } from "./rows";
import { SheetTable } from "./SheetTable";
import styles from "./source.module.css";

/** A file's text with its line numbers, or a sheet's rows; what was quoted is marked. */
export function TextView({ view, turnTo }: { view: View; turnTo: (page: number) => void }) {
  const lines = useMemo(() => linesOf(view), [view]);
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place is scrolled to anew
  useEffect(() => {
    box.current?.querySelector("mark")?.scrollIntoView({ block: "center" });
  }, [view]);
  const rows = useMemo(() => (view.kind === "sheet" ? rowsOf(lines) : null), [view, lines]);
  if (!view.text) return <p className={styles.reason}>There is no text in this file.</p>;
  return (
    <>
      {view.more_before && <p className={styles.cut}>The file begins earlier.</p>}
      <div ref={box}>
        {rows ? <SheetTable rows={rows} /> : <Lines lines={lines} kind={view.kind} />}
      </div>
      {view.more_after && <p className={styles.cut}>The file goes on.</p>}
      {view.page !== null && view.pages > 1 && (
        <Pager page={view.page} pages={view.pages} label={view.label} turnTo={turnTo} />
      )}
    </>
  );
}

function Lines({ lines, kind }: { lines: TextLine[]; kind: View["kind"] }) {
  return (
    <ol className={styles.text} data-kind={kind}>
      {lines.map((line) => (
        <li key={line.number} data-marked={line.marks.length > 0 || undefined}>
          <span className={styles.lineNumber} aria-hidden>
            {line.number}
          </span>
          <span>
            <Marked text={line.text} marks={line.marks} />
          </span>
        </li>
      ))}
    </ol>
  );
}
