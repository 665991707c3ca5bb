// The rows of a table that an answer lists: their columns, their order, the file they are saved as.

export interface Row {
  file: string;
  page?: number | null;
  line?: number | null;
  quote?: string;
  columns?: Record<string, unknown>;
}

const PLACE = ["file", "page", "line", "quote"] as const;
const FORMULA = /^\s*[=+\-@\t\r|%]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** The names of what the rows tell, besides their file. */
export function columnsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row.columns ?? {})))];
}

/** A row's value in a column, or its file. */
export function cell(row: Row, column: string): unknown {
  return column === "file" ? row.file : (row.columns?.[column] ?? null);
}

/** A value's words; empty where there is nothing. */
export function words(value: unknown): string {
  return value === null || value === undefined ? "" : String(value);
}

/** The rows in the order of a column: numbers by their size, what is missing last. */
export function sorted<R extends Row>(rows: readonly R[], column: string, down: boolean): R[] {
  return [...rows].sort((a, b) => {
    const [x, y] = [cell(a, column), cell(b, column)];
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    const order =
      typeof x === "number" && typeof y === "number"
        ? x - y
        : words(x).localeCompare(words(y), undefined, { numeric: true });
    return down ? -order : order;
  });
}

/** The rows as CSV that a spreadsheet takes no cell of for a formula. */
export function asCsv(rows: readonly Row[]): string {
  const columns = columnsOf(rows);
  const lines = rows.map((row) => [
    ...columns.map((column) => words(cell(row, column))),
    ...PLACE.map((key) => words(row[key])),
  ]);
  const text = [[...columns, ...PLACE], ...lines].map((line) => line.map(quoted).join(","));
  return `\ufeff${text.join("\r\n")}\r\n`;
}

function quoted(text: string): string {
  const flat = text.replace(/\s+/g, " ").trim();
  const safe = FORMULA.test(flat) && !NUMBER.test(flat) ? `'${flat}` : flat;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
