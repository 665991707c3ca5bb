import { locale } from "../language";
// The rows of a table that an answer lists: their columns, their order, the file they are saved as.

export interface Row {
  file: string;
  page?: number | null;
  line?: number | null;
  quote?: string;
  columns?: Record<string, unknown>;
}

const PLACE = ["file", "page", "line", "quote"] as const;
/** Columns of amounts, which are told with their currency. */
export const AMOUNTS: ReadonlySet<string> = new Set(["net", "tax", "total"]);
const CELLS = /^[\s|]+|[\s|]+$|\s*\|\s*(?=\S)/g; // of a row of a sheet that is quoted
const FORMULA = /^\s*[=+\-@\t\r|%]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** Who and when come first, the amounts last; what else a query names stays in its order. */
const FIRST = ["date", "issuer", "recipient", "type", "title"];

/** The names of what the rows tell, besides their file. */
export function columnsOf(rows: readonly Row[]): string[] {
  const rank = (key: string) => {
    if (AMOUNTS.has(key) || key === "currency") return FIRST.length + 1;
    return FIRST.includes(key) ? FIRST.indexOf(key) : FIRST.length;
  };
  const names = [...new Set(rows.flatMap((row) => Object.keys(row.columns ?? {})))];
  return names.sort((a, b) => rank(a) - rank(b));
}

/** A row's value in a column, or its file. */
export function cell(row: Row, column: string): unknown {
  return column === "file" ? row.file : (row.columns?.[column] ?? null);
}

/** A value's words; empty where there is nothing. */
export function words(value: unknown): string {
  return value === null || value === undefined ? "" : String(value);
}

/** Whether a column is told within the amounts beside it. */
export function inAmounts(rows: readonly Row[], column: string): boolean {
  return column === "currency" && columnsOf(rows).some((key) => AMOUNTS.has(key));
}

/** Whether what a column holds are numbers. */
export function isNumeric(rows: readonly Row[], column: string): boolean {
  const values = rows.map((row) => cell(row, column)).filter((value) => value !== null);
  return values.length > 0 && values.every((value) => typeof value === "number");
}

/** The columns of which a number has parts: there 125 stands as "125.00" beside 44.93. */
export function withCents(rows: readonly Row[]): ReadonlySet<string> {
  const parts = (value: unknown) => typeof value === "number" && !Number.isInteger(value);
  return new Set(columnsOf(rows).filter((key) => rows.some((row) => parts(cell(row, key)))));
}

/** A number as a person reads it: 1020.5 gives "1,020.50", 12 stays "12" where it is no amount. */
export function figure(value: number, amount = false): string {
  const digits = Number.isInteger(value) && !amount ? 0 : 2;
  return value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: 2 });
}

/** What columns of amounts add up to, where all are in one currency. */
export function sumsOf(rows: readonly Row[]): Record<string, string> {
  const currencies = new Set(rows.map((row) => words(cell(row, "currency"))));
  const [currency] = currencies;
  if (rows.length < 2 || currencies.size !== 1 || !currency) return {};
  const columns = columnsOf(rows).filter((key) => AMOUNTS.has(key) && isNumeric(rows, key));
  return Object.fromEntries(
    columns.map((key) => {
      const cents = rows.reduce((sum, row) => sum + Math.round(Number(cell(row, key)) * 100), 0);
      return [key, `${figure(cents / 100, true)} ${currency}`];
    }),
  );
}

/** The rows in the order of a column: numbers by their size, what is missing last. */
export function sorted<R extends Row>(rows: readonly R[], column: string, down: boolean): R[] {
  return [...rows].sort((a, b) => {
    const [x, y] = [cell(a, column), cell(b, column)];
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    const order =
      typeof x === "number" && typeof y === "number"
        ? x - y
        : words(x).localeCompare(words(y), locale, { numeric: true });
    return down ? -order : order;
  });
}

/** The rows as CSV that a spreadsheet takes no cell of for a formula; `called` names the columns. */
export function asCsv(rows: readonly Row[], called: (key: string) => string): string {
  const columns = columnsOf(rows);
  const lines = rows.map((row) => [
    ...columns.map((column) => words(cell(row, column))),
    ...PLACE.map((key) =>
      key === "quote" ? words(row.quote).replace(CELLS, " ") : words(row[key]),
    ),
  ]);
  const text = [[...columns, ...PLACE].map(called), ...lines].map((line) =>
    line.map(quoted).join(","),
  );
  return `\ufeff${text.join("\r\n")}\r\n`;
}

function quoted(text: string): string {
  const flat = text.replace(/\s+/g, " ").trim();
  const safe = FORMULA.test(flat) && !NUMBER.test(flat) ? `'${flat}` : flat;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
