import { IconDownload } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import type { Place } from "../source/place";
import { Button } from "../ui/Button";
import { download } from "../ui/download";
import styles from "./ask.module.css";
import { asCsv, COLUMNS, cell, type Row, sorted } from "./table";

interface Sorting {
  key: string;
  down: boolean;
}

/** What the thorough mode found in each paper: sorted by a press on its head, saved as CSV. */
export function DataTable({ rows, open }: { rows: Row[]; open: (place: Place) => void }) {
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const shown = useMemo(
    () => (sorting ? sorted(rows, sorting.key, sorting.down) : rows),
    [rows, sorting],
  );
  const columns = COLUMNS.filter(({ key }) => rows.some((row) => cell(row, key) !== ""));
  const turn = (key: string) =>
    setSorting((now) => (now?.key === key ? { key, down: !now.down } : { key, down: false }));
  const order = (key: string) =>
    sorting?.key === key ? (sorting.down ? "descending" : "ascending") : "none";
  return (
    <figure className={styles.data}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is focusable */}
      <section className={styles.scroll} tabIndex={0} aria-label="What was found">
        <table>
          <thead>
            <tr>
              {columns.map(({ key, name }) => (
                <th key={key} scope="col" aria-sort={order(key)}>
                  <button type="button" onClick={() => turn(key)}>
                    {name}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a paper may stand in several rows
              <tr key={i}>
                {columns.map(({ key }) => (
                  <td key={key} data-number={typeof row[key] === "number" || undefined}>
                    {key === "file" ? (
                      <button
                        type="button"
                        className={styles.link}
                        onClick={() => open(placeOf(row))}
                      >
                        {cell(row, key).split("/").at(-1)}
                      </button>
                    ) : (
                      cell(row, key)
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <figcaption>
        {rows.length} rows
        <Button
          kind="quiet"
          onClick={() => download(new Blob([asCsv(shown)], { type: "text/csv" }), "table.csv")}
        >
          <IconDownload size={16} aria-hidden /> Save as CSV
        </Button>
      </figcaption>
    </figure>
  );
}

function placeOf(row: Row): Place {
  return {
    file: String(row.file),
    page: Number(row.page) || null,
    line: Number(row.line) || null,
    quote: typeof row.quote === "string" ? row.quote : null,
  };
}
