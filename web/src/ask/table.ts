// The rows of the thorough mode: their order, their cells, and the file they are saved as.

export type Row = Record<string, unknown>;

export const COLUMNS = [
  { key: "date", name: "Date" },
  { key: "issuer", name: "From" },
  { key: "number", name: "Number" },
  { key: "value", name: "Value" },
  { key: "currency", name: "Currency" },
  { key: "reason", name: "Missing because" },
  { key: "file", name: "File" },
  { key: "page", name: "Page" },
];

const SAVED = [
  "file",
  "page",
  "line",
  "issuer",
  "date",
  "number",
  "field",
  "value",
  "amount",
  "currency",
  "by",
  "confidence",
  "quote",
  "reason",
]; // prettier-ignore
const FORMULA = /^\s*[=+\-@\t\r|%]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** A cell's words; empty where there is nothing. */
export function cell(row: Row, key: string): string {
  const value = row[key];
  return value === null || value === undefined ? "" : String(value);
}

/** The rows in the order of a column: amounts by their size, what is missing last. */
export function sorted(rows: Row[], key: string, down: boolean): Row[] {
  const by = key === "value" ? "amount" : key;
  const of = (row: Row) => row[by] ?? row[key] ?? null;
  return [...rows].sort((a, b) => {
    const [x, y] = [of(a), of(b)];
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    const numbers = [Number(x), Number(y)] as const;
    const order = numbers.every(Number.isFinite)
      ? numbers[0] - numbers[1]
      : String(x).localeCompare(String(y), undefined, { numeric: true });
    return down ? -order : order;
  });
}

/** The rows as CSV that a spreadsheet takes no cell of for a formula. */
export function asCsv(rows: Row[]): string {
  const lines = [SAVED, ...rows.map((row) => SAVED.map((key) => cell(row, key)))];
  return `\ufeff${lines.map((line) => line.map(quoted).join(",")).join("\r\n")}\r\n`;
}

function quoted(text: string): string {
  const flat = text.replace(/\s+/g, " ").trim();
  const safe = FORMULA.test(flat) && !NUMBER.test(flat) ? `'${flat}` : flat;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
