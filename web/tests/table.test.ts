import { describe, expect, it } from "vitest";
import { asCsv, sorted } from "../src/ask/table";

const rows = [
  { file: "a.pdf", value: "90.00", amount: 90, issuer: "Voltex" },
  { file: "b.pdf", value: null, amount: null, issuer: "=cmd()" },
  { file: "c.pdf", value: "1,200.50", amount: 1200.5, issuer: "Albrecht, Sons" },
];

describe("the table of the thorough mode", () => {
  it("sorts amounts by their size, and what is missing last, both ways", () => {
    expect(sorted(rows, "value", false).map((r) => r.file)).toEqual(["a.pdf", "c.pdf", "b.pdf"]);
    expect(sorted(rows, "value", true).map((r) => r.file)).toEqual(["c.pdf", "a.pdf", "b.pdf"]);
  });

  it("is saved with no cell that a spreadsheet would run", () => {
    const lines = asCsv(rows).trim().split("\r\n");
    expect(lines).toHaveLength(4);
    expect(lines[2]).toContain("'=cmd()");
    expect(lines[3]).toContain('"Albrecht, Sons"');
    expect(lines[3]).toContain("1200.5");
  });
});
