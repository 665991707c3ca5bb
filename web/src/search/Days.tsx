import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import { say } from "../language";
import { DayRow } from "./DayRow";
import { monthAt, nextFile, type Row, yearsOf } from "./timeline";
import styles from "./timeline.module.css";
import { Years } from "./Years";

const MONTH = 64; // pixels, before a row is measured
const FILE = 52;

/** Files under their days and months. Only what is in sight is drawn. */
export function Days({ rows, said }: { rows: Row[]; said: string }) {
  const list = useRef<HTMLOListElement>(null);
  const [margin, setMargin] = useState(0);
  const first = nextFile(rows, -1, 1);
  const [active, setActive] = useState(first); // the row that Tab leads to
  const wanted = useRef<number | null>(null); // the row to focus once it is drawn
  const stop = rows[active]?.kind === "file" ? active : first;
  const years = useMemo(() => yearsOf(rows), [rows]);

  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => document.getElementById("content"),
    estimateSize: (index) => (rows[index]?.kind === "month" ? MONTH : FILE),
    overscan: 12,
    scrollMargin: margin,
    rangeExtractor: (range) =>
      [...new Set([stop, ...defaultRangeExtractor(range)])].sort((a, b) => a - b),
  });

  useLayoutEffect(() => {
    const scroller = document.getElementById("content");
    const own = list.current;
    if (!scroller || !own?.parentElement) return;
    const measure = () => {
      const top = own.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
      setMargin(Math.round(top + scroller.scrollTop));
    };
    const watch = new ResizeObserver(measure); // with its width, what stands above may grow
    watch.observe(own.parentElement);
    measure();
    return () => watch.disconnect();
  }, []);

  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const link = list.current?.querySelector<HTMLElement>(`[data-row="${wanted.current}"]`);
    if (!link) return;
    wanted.current = null;
    link.focus({ preventScroll: true });
  });

  const focus = (row: number, how: "auto" | "under its month") => {
    if (row === first) virtual.scrollToOffset(0);
    else if (how === "auto") virtual.scrollToIndex(row, { align: "auto" });
    else virtual.scrollToIndex(row - 1, { align: "start" });
    wanted.current = row;
    setActive(row);
  };
  const latest = useRef(focus);
  latest.current = focus;
  const go = useCallback((month: number) => latest.current(month + 1, "under its month"), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const to = {
      ArrowDown: nextFile(rows, stop, 1),
      ArrowUp: nextFile(rows, stop, -1),
      Home: first,
      End: nextFile(rows, rows.length, -1),
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (to !== stop || to === first) focus(to, "auto");
  };
  const month = monthAt(rows, virtual.range?.startIndex ?? 0);
  return (
    <div className={styles.timeline}>
      <Years years={years} month={month} go={go} />
      <section aria-label={say.search.timeline.days}>
        <p className={styles.said} role="status">
          {said}
        </p>
        <ol
          ref={list}
          className={styles.rows}
          style={{ height: virtual.getTotalSize() }}
          onKeyDown={onKeyDown}
        >
          {virtual.getVirtualItems().map(({ index, start }) => (
            <li
              key={index}
              ref={virtual.measureElement}
              data-index={index}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start - margin}px)` }}
            >
              <DayRow
                row={rows[index] as Row}
                index={index}
                stop={index === stop}
                onFocus={setActive}
              />
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}
