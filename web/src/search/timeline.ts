// The timeline's rows, and how many files each month and year holds.

import type { TimelineDay } from "../api/types";

export type DatedFile = TimelineDay["files"][number];

export type Row =
  | { kind: "month"; month: string }
  | { kind: "file"; date: string; file: DatedFile; first: boolean };

export interface Month {
  month: string; // "2024-03"
  files: number;
  /** The row of its heading. */
  row: number;
}

export interface Year {
  year: string;
  files: number;
  months: Month[];
}

/** The days of several answers as one; the first day of one may go on with the last before it. */
export function joined(answers: readonly TimelineDay[][]): TimelineDay[] {
  const days: TimelineDay[] = [];
  for (const day of answers.flat()) {
    const last = days.at(-1);
    if (last?.date === day.date) last.files = [...last.files, ...day.files];
    else days.push({ ...day });
  }
  return days;
}

/** One row for each month and each file, newest first as the days are. */
export function rowsOf(days: readonly TimelineDay[]): Row[] {
  const rows: Row[] = [];
  let month = "";
  for (const { date, files } of days) {
    if (date.slice(0, 7) !== month) {
      month = date.slice(0, 7);
      rows.push({ kind: "month", month });
    }
    for (const [n, file] of files.entries()) {
      rows.push({ kind: "file", date, file, first: n === 0 });
    }
  }
  return rows;
}

/** The years and months that hold files, in the order of the rows. */
export function yearsOf(rows: readonly Row[]): Year[] {
  const years: Year[] = [];
  for (const [n, row] of rows.entries()) {
    if (row.kind === "month") {
      const name = row.month.slice(0, 4);
      if (years.at(-1)?.year !== name) years.push({ year: name, files: 0, months: [] });
      years.at(-1)?.months.push({ month: row.month, files: 0, row: n });
    } else {
      const year = years.at(-1);
      const month = year?.months.at(-1);
      if (year) year.files += 1;
      if (month) month.files += 1;
    }
  }
  return years;
}

/**
 * How long the bar of so many files is, of 1. Years and months have one measure, the largest year:
 * equal bars are equal numbers, and no month is longer than its year. By the root, so that few
 * files still show beside many.
 */
export function lengthOf(files: number, years: readonly Year[]): number {
  const most = Math.max(...years.map((year) => year.files));
  return Math.max(Math.sqrt(files / most), 0.03);
}

/** The month that the row at `index` belongs to. */
export function monthAt(rows: readonly Row[], index: number): string | null {
  const row = rows[Math.min(index, rows.length - 1)];
  if (!row) return null;
  return row.kind === "month" ? row.month : row.date.slice(0, 7);
}

/** The next row that is a file, from `at` by `step`; `at` itself where there is none. */
export function nextFile(rows: readonly Row[], at: number, step: 1 | -1): number {
  for (let n = at + step; n >= 0 && n < rows.length; n += step) {
    if (rows[n]?.kind === "file") return n;
  }
  return at;
}
