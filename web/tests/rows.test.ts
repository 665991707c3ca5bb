import { describe, expect, it } from "vitest";
import { linesOf } from "../src/source/lines";
import { rowsOf } from "../src/source/rows";

const rows = (text: string, marks: [number, number][] = []) =>
  rowsOf(linesOf({ text, first_line: 1, marks }));

describe("the rows of a sheet", () => {
  it("are cells, without the rule below the head", () => {
    const found = rows("| Item | Price |\n| --- | ---: |\n| lamp \\| big | 40 |");
    expect(found?.map((row) => row.cells.map((cell) => cell.text))).toEqual([
      ["Item", "Price"],
      ["lamp \\| big", "40"],
    ]);
    expect(found?.map((row) => row.number)).toEqual([1, 3]);
  });

  it("keep what is marked, cell by cell", () => {
    const found = rows("| 😀 lamp | 40 |", [[4, 13]]);
    expect(found?.[0]?.cells.map((cell) => cell.marks)).toEqual([[[2, 6]], [[0, 2]]]);
  });

  it("are none where the lines are no table", () => {
    expect(rows("name,price\nlamp,40")).toBeNull();
    expect(rows("")).toBeNull();
  });
});
