import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { SheetView, Span, SheetTable as Table } from "../api/types";
import { say } from "../language";
import { Marked } from "../ui/Marked";
import { type Column, columnsOf, marksOf, type RowMarks } from "./sheet";
import styles from "./sheet.module.css";

const ROW = 29; // pixels, before a row is measured
const LONG = 240; // characters of a cell that are shown, unless something in it is marked

interface TableProps {
  sheet: SheetView;
  at: number;
  label: string;
  scroller: RefObject<HTMLElement | null>;
}

/** One table with its header and the lines of its rows; only rows in sight are drawn. */
export function SheetTable({ sheet, at, label, scroller }: TableProps) {
  const table = sheet.tables[at] as Table;
  const own = useRef<HTMLTableElement>(null);
  const [margin, setMargin] = useState(0);
  const columns = useMemo(() => columnsOf(table), [table]);
  const marks = useMemo(() => marksOf(sheet, at), [sheet, at]);
  const virtual = useVirtualizer({
    count: table.rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10,
    scrollMargin: margin,
  });
  useLayoutEffect(() => {
    const measure = () => setMargin(own.current?.offsetTop ?? 0);
    const watch = new ResizeObserver(measure); // tables above grow by rows higher than guessed
    for (const part of own.current?.parentElement?.children ?? []) watch.observe(part);
    measure();
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    const first = Math.min(...marks.keys());
    if (Number.isFinite(first)) virtual.scrollToIndex(Math.max(first, 0), { align: "center" });
  }, [virtual, marks]);
  useEffect(() => {
    if (marks.size > 0) own.current?.querySelector("mark")?.scrollIntoView({ block: "nearest" });
  }, [marks]);
  const rows = virtual.getVirtualItems();
  const above = (rows[0]?.start ?? margin) - margin;
  const below = virtual.getTotalSize() - ((rows.at(-1)?.end ?? margin) - margin);
  return (
    <table ref={own} className={styles.table} aria-label={label} aria-rowcount={table.rows.length}>
      {table.title && sheet.tables.length > 1 && <caption dir="auto">{table.title}</caption>}
      <colgroup>
        <col className={styles.lines} />
        {columns.map((column, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
          <col key={i} style={{ width: `calc(${0.95 * column.letters}ch + 1.1rem)` }} />
        ))}
      </colgroup>
      <thead>
        <tr data-marked={marks.has(-1) || undefined}>
          <td />
          {columns.map((column, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
            <th key={i} scope="col" dir="auto" data-number={column.numeric || undefined}>
              <Marked text={column.name} marks={marks.get(-1)?.cells.get(i) ?? []} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <Gap height={above} />
        {rows.map(({ index }) => (
          <Row
            key={index}
            index={index}
            measure={virtual.measureElement}
            row={table.rows[index] as Table["rows"][number]}
            columns={columns}
            marks={marks.get(index)}
          />
        ))}
        <Gap height={below} />
      </tbody>
    </table>
  );
}

/** The height of the rows that are not drawn. */
function Gap({ height }: { height: number }) {
  return height > 0 ? (
    <tr aria-hidden>
      <td style={{ height, padding: 0, border: 0 }} />
    </tr>
  ) : null;
}

interface RowProps {
  index: number;
  measure: (row: HTMLTableRowElement | null) => void;
  row: Table["rows"][number];
  columns: Column[];
  marks: RowMarks | undefined;
}

function Row({ index, measure, row, columns, marks }: RowProps) {
  return (
    <tr
      ref={measure}
      data-index={index}
      data-marked={marks ? true : undefined}
      aria-rowindex={index + 1}
    >
      <th scope="row" aria-label={say.source.line(row.line)}>
        {row.line}
      </th>
      {columns.map((column, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its place
        <td key={i} dir="auto" data-number={column.numeric || undefined}>
          <Cell text={row.cells[i] ?? ""} marks={marks?.cells.get(i) ?? []} />
        </td>
      ))}
    </tr>
  );
}

function Cell({ text, marks }: { text: string; marks: Span[] }) {
  if (marks.length > 0 || text.length <= LONG) return <Marked text={text} marks={marks} />;
  return <span title={text}>{text.slice(0, LONG)}…</span>;
}
