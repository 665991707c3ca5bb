// How a table is laid out: how wide its columns are, which hold numbers, what is marked of each cell.

import type { SheetTable, SheetView, Span } from "../api/types";

const [LEAST, MOST] = [4, 34]; // letters
const NUMBER = /^[-+−(]?\s*(?:[$€£¥]|[A-Z]{3})?\s*[-+−]?\d[\d\s.,'’]*\s*(?:%|[$€£¥]|[A-Z]{3})?\)?$/;
const NUMBERS = 0.7; // the share of its cells that makes a column one of numbers

export interface Column {
  name: string;
  letters: number;
  numeric: boolean;
}

export function columnsOf(table: SheetTable): Column[] {
  return table.columns.map((name, at) => {
    const cells = table.rows.map((row) => row.cells[at] ?? "").filter(Boolean);
    const longest = Math.max(LEAST, name.length, ...lengths(cells));
    const numbers = cells.filter((cell) => NUMBER.test(cell)).length;
    const numeric = cells.length > 0 && numbers >= NUMBERS * cells.length;
    return { name, letters: Math.min(MOST, longest), numeric };
  });
}

/** The lengths that there are, each once: a call takes only so many arguments. */
function lengths(cells: readonly string[]): Set<number> {
  return new Set(cells.map((cell) => cell.length));
}

export interface RowMarks {
  row: number;
  /** By column; a row without any is marked as a whole. */
  cells: Map<number, Span[]>;
}

/** The marked rows of a table, by their number; -1 is its header. */
export function marksOf(sheet: SheetView, table: number): Map<number, RowMarks> {
  const rows = new Map<number, RowMarks>();
  for (const mark of sheet.marks) {
    if (mark.table !== table) continue;
    const row = rows.get(mark.row) ?? { row: mark.row, cells: new Map() };
    rows.set(mark.row, row);
    if (mark.column === null) continue;
    row.cells.set(mark.column, [...(row.cells.get(mark.column) ?? []), [mark.start, mark.end]]);
  }
  return rows;
}
