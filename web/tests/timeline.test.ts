import { describe, expect, test } from "vitest";
import type { TimelineDay } from "../src/api/types";
import { joined, lengthOf, monthAt, nextFile, rowsOf, yearsOf } from "../src/search/timeline";

function day(date: string, ...files: string[]): TimelineDay {
  return { date, files: files.map((file) => ({ file, title: null, format: "pdf" })) };
}

const DAYS = [
  day("2024-03-12", "a", "b"),
  day("2024-03-01", "c"),
  day("2023-12-24", "d"),
  day("2022-12-24", "e"),
];

describe("the timeline", () => {
  const rows = rowsOf(DAYS);

  test("has a row for each month and each file; a day is named with its first", () => {
    const said = rows.map((row) =>
      row.kind === "month" ? row.month : `${row.first ? row.date : "…"} ${row.file.file}`,
    );
    expect(said).toEqual([
      "2024-03",
      "2024-03-12 a",
      "… b",
      "2024-03-01 c",
      "2023-12",
      "2023-12-24 d",
      "2022-12",
      "2022-12-24 e",
    ]);
  });

  test("counts the files of months and years, and knows where each month begins", () => {
    expect(yearsOf(rows)).toEqual([
      { year: "2024", files: 3, months: [{ month: "2024-03", files: 3, row: 0 }] },
      { year: "2023", files: 1, months: [{ month: "2023-12", files: 1, row: 4 }] },
      { year: "2022", files: 1, months: [{ month: "2022-12", files: 1, row: 6 }] },
    ]);
    expect(yearsOf([])).toEqual([]);
  });

  test("draws equal numbers equally long, and no month longer than its year", () => {
    const files = Array.from({ length: 14 }, (_, n) => `${n}`);
    const years = yearsOf(
      rowsOf([day("2024-12-24", "a", "b", "c", "d"), day("2024-01-01", ...files)]),
    );
    const [year, ...more] = years;
    const [december, january] = year?.months ?? [];
    expect(more).toEqual([]);
    const length = (one: { files: number } | undefined) => lengthOf(one?.files ?? 0, years);
    expect(length(year)).toBe(1);
    expect(length(december)).toBeCloseTo(Math.sqrt(4 / 18));
    expect(length(january)).toBeLessThan(1);
    expect(lengthOf(1, [{ year: "2024", files: 100_000, months: [] }])).toBe(0.03);
  });

  test("knows the month of every row", () => {
    expect(monthAt(rows, 3)).toBe("2024-03");
    expect(monthAt(rows, 4)).toBe("2023-12");
    expect(monthAt(rows, 99)).toBe("2022-12");
    expect(monthAt([], 0)).toBeNull();
  });

  test("is walked from file to file, over the months", () => {
    expect(nextFile(rows, -1, 1)).toBe(1);
    expect(nextFile(rows, 3, 1)).toBe(5);
    expect(nextFile(rows, 5, -1)).toBe(3);
    expect(nextFile(rows, 1, -1)).toBe(1);
    expect(nextFile(rows, rows.length, -1)).toBe(7);
  });

  test("is one, though the server gave it in parts and cut a day", () => {
    const parts = [[day("2024-03-12", "a")], [day("2024-03-12", "b"), ...DAYS.slice(1)]];
    expect(joined(parts)).toEqual(DAYS);
    expect(parts[0]?.[0]?.files).toHaveLength(1); // what came stays as it was
  });
});
