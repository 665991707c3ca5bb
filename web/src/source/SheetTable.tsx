import { Marked } from "../ui/Marked";
import type { SheetRow } from "./rows";
import styles from "./source.module.css";

const NUMBER = /^[-+]?[\d.,'\s]*\d\s*%?$/;

/** A sheet as a table; what was quoted is marked in its cells. */
export function SheetTable({ rows }: { rows: SheetRow[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is focusable
    <section className={styles.sheet} tabIndex={0} aria-label="Sheet">
      <table>
        <tbody>
          {rows.map((row) => (
            <tr key={row.number} data-marked={row.cells.some((c) => c.marks.length) || undefined}>
              {row.cells.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its place
                <td key={column} data-number={NUMBER.test(cell.text) || undefined}>
                  <Marked text={cell.text} marks={cell.marks} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
