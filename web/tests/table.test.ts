import { describe, expect, it } from "vitest";
import { asCsv, sorted } from "../src/ask/table";

const rows = [
  { file: "a.pdf", columns: { issuer: "Voltex", total: 90 } },
  { file: "b.pdf", columns: { issuer: "=cmd()", total: null } },
  { file: "c.pdf", columns: { issuer: "Albrecht, Sons", total: 1200.5 } },
];

describe("the table of an answer", () => {
  it("sorts amounts by their size, and what is missing last, both ways", () => {
    expect(sorted(rows, "total", false).map((r) => r.file)).toEqual(["a.pdf", "c.pdf", "b.pdf"]);
    expect(sorted(rows, "total", true).map((r) => r.file)).toEqual(["c.pdf", "a.pdf", "b.pdf"]);
  });

  it("is saved with no cell that a spreadsheet would run", () => {
    const lines = asCsv(rows).trim().split("\r\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe("issuer,total,file,page,line,quote");
    expect(lines[2]).toContain("'=cmd()");
    expect(lines[3]).toContain('"Albrecht, Sons"');
    expect(lines[3]).toContain("1200.5");
  });
});
