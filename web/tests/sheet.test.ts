import { describe, expect, it } from "vitest";
import type { SheetView } from "../src/api/types";
import { columnsOf, marksOf } from "../src/source/sheet";

const table = (columns: string[], ...cells: string[][]) => ({
  title: null,
  line: 1,
  columns,
  rows: cells.map((row, at) => ({ line: at + 2, cells: row })),
});

describe("the columns of a sheet", () => {
  it.each([["1,020.54"], ["-12"], ["(40.00)"], ["€ 12.50"], ["12.50 EUR"], ["7 %"], ["1'000"]])(
    "hold numbers, such as %s",
    (cell) => {
      expect(columnsOf(table(["x"], [cell]))[0]?.numeric).toBe(true);
    },
  );

  it.each([["2024-03-05"], ["A 12"], ["12 lamps"], ["12:30"]])("hold words, such as %s", (cell) => {
    expect(columnsOf(table(["x"], [cell]))[0]?.numeric).toBe(false);
  });

  it("are as wide as their longest cell, within limits", () => {
    const columns = columnsOf(table(["id", "what"], ["1", "a lamp"], ["2", "x".repeat(4000)]));
    expect(columns.map(({ letters }) => letters)).toEqual([4, 34]);
  });

  it("count as numbers though some cells are none", () => {
    const cells = [["1"], ["2"], ["3"], ["n/a"], [""]];
    expect(columnsOf(table(["x"], ...cells))[0]?.numeric).toBe(true);
  });
});

it("marks of a sheet are told by row and column", () => {
  const sheet = {
    marks: [
      { table: 0, row: 4, column: 1, start: 0, end: 3 },
      { table: 0, row: 4, column: 1, start: 5, end: 6 },
      { table: 0, row: 7, column: null, start: 0, end: 0 },
      { table: 1, row: 4, column: 0, start: 0, end: 3 },
    ],
  } as unknown as SheetView;
  const marks = marksOf(sheet, 0);
  expect([...marks.keys()]).toEqual([4, 7]);
  expect(marks.get(4)?.cells.get(1)).toEqual([
    [0, 3],
    [5, 6],
  ]);
  expect(marks.get(7)?.cells.size).toBe(0);
});
