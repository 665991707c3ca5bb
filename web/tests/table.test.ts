import { describe, expect, it } from "vitest";
import { asCsv, columnsOf, sorted, withCents } from "../src/ask/table";

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
    const lines = asCsv(rows, (key) => (key === "file" ? "Datei" : key))
      .trim()
      .split("\r\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe("issuer,total,Datei,page,line,quote");
    expect(lines[2]).toContain("'=cmd()");
    expect(lines[3]).toContain('"Albrecht, Sons"');
    expect(lines[3]).toContain("1200.5");
  });

  it("is saved with what was read in a row of a sheet as words", () => {
    const quote = "| | | Total amount due | 90 |";
    const [, line] = asCsv([{ file: "a.xlsx", columns: {}, quote }], String).split("\r\n");
    expect(line).toBe("a.xlsx,,,Total amount due 90");
  });

  it("tells when and who before what a query names, and amounts last", () => {
    const columns = { total: 1, currency: "EUR", issuer: "Voltex", number: 7, date: "2024-01-02" };
    const names = ["date", "issuer", "number", "total", "currency"];
    expect(columnsOf([{ file: "a.pdf", columns }])).toEqual(names);
  });

  it("knows the columns of which a number has parts", () => {
    const two = [{ file: "a.csv", columns: { amount: 125, year: 2024 } }];
    expect([
      ...withCents([...two, { file: "a.csv", columns: { amount: 44.93, year: 2025 } }]),
    ]).toEqual(["amount"]);
  });
});
