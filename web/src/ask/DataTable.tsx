import { IconDownload } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { say } from "../language";
import { day, size } from "../library/words";
import type { Place } from "../source/place";
import { Button } from "../ui/Button";
import { download } from "../ui/download";
import styles from "./ask.module.css";
import { useName } from "./naming";
import {
  AMOUNTS,
  asCsv,
  cell,
  columnsOf,
  figure,
  inAmounts,
  isNumeric,
  type Row,
  sorted,
  sumsOf,
  withCents,
  words,
} from "./table";

const DAY = /^\d{4}-\d\d-\d\d$/;

interface Sorting {
  key: string;
  down: boolean;
}

/** The rows that an answer lists: sorted by a press on a column's head, saved as CSV. */
export function DataTable(props: {
  rows: Row[];
  open: (place: Place) => void;
  name?: string;
  /** What was asked: what the file is called that it is saved as. */
  question?: string;
}) {
  const { rows, open } = props;
  const name = useName(props.name ?? say.ask.found);
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const shown = useMemo(
    () => (sorting ? sorted(rows, sorting.key, sorting.down) : rows),
    [rows, sorting],
  );
  const columns = [...columnsOf(rows).filter((key) => !inAmounts(rows, key)), "file"];
  const sums = useMemo(() => sumsOf(rows), [rows]);
  const cents = useMemo(() => withCents(rows), [rows]);
  const turn = (key: string) =>
    setSorting((now) => (now?.key === key ? { key, down: !now.down } : { key, down: false }));
  const order = (key: string) =>
    sorting?.key === key ? (sorting.down ? "descending" : "ascending") : "none";
  return (
    <figure className={styles.data}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is focusable */}
      <section className={styles.scroll} tabIndex={0} aria-label={name}>
        <table>
          <thead>
            <tr>
              {columns.map((key) => (
                <th
                  key={key}
                  scope="col"
                  aria-sort={order(key)}
                  data-number={isNumeric(rows, key) || undefined}
                >
                  <button type="button" onClick={() => turn(key)}>
                    {called(key)}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a paper may stand in several rows
              <tr key={i}>
                {columns.map((key) => (
                  <td
                    key={key}
                    data-number={typeof cell(row, key) === "number" || undefined}
                    data-short={isShort(cell(row, key)) || undefined}
                    data-file={key === "file" || undefined}
                  >
                    {key === "file" ? (
                      <button
                        type="button"
                        className={styles.link}
                        onClick={() => open(placeOf(row))}
                      >
                        {row.file.split("/").at(-1)}
                      </button>
                    ) : (
                      told(row, key, cents)
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          {Object.keys(sums).length > 0 && (
            <tfoot>
              <tr>
                {columns.map((key, i) => (
                  <td key={key} data-number={key in sums || undefined}>
                    {key in sums ? sums[key] : i === 0 ? say.ask.together : ""}
                  </td>
                ))}
              </tr>
            </tfoot>
          )}
        </table>
      </section>
      <figcaption>
        {say.ask.rows(rows.length)}
        <Button
          kind="quiet"
          onClick={() =>
            download(
              new Blob([asCsv(shown, called)], { type: "text/csv" }),
              `${fileNameOf(props.question ?? say.ask.table)}.csv`,
            )
          }
        >
          <IconDownload size={16} aria-hidden /> {say.ask.saveCsv}
        </Button>
      </figcaption>
    </figure>
  );
}

function called(key: string): string {
  return say.ask.columns[key] ?? key.replaceAll("_", " ");
}

/** A question as the name of a file. */
function fileNameOf(question: string): string {
  const plain = question.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
  return plain.slice(0, 60).trim() || say.ask.table;
}

function told(row: Row, column: string, cents: ReadonlySet<string>): string {
  const value = cell(row, column);
  if (typeof value === "string" && DAY.test(value)) return day(value);
  if (typeof value !== "number") return words(value);
  if (column === "size") return size(value);
  if (!AMOUNTS.has(column)) return figure(value, cents.has(column));
  return `${figure(value, true)} ${words(cell(row, "currency"))}`.trim();
}

/** Words that stand on one line: a day, a code, a short name. */
function isShort(value: unknown): boolean {
  return typeof value === "string" && value.length <= 14;
}

function placeOf(row: Row): Place {
  return {
    file: row.file,
    page: row.page ?? null,
    line: row.line ?? null,
    quote: row.quote || null,
  };
}
