import { describe, expect, it } from "vitest";
import { linesOf } from "../src/source/lines";
import { mailOf } from "../src/source/mail";

const TEXT = "Subject: The key\nFrom: Mara\nTo: Jonas\nAttachments: plan.pdf\n\nTo: nobody\nBye";
const mail = (marks: [number, number][] = [], first_line = 1) =>
  mailOf(linesOf({ text: TEXT, first_line, marks }));

describe("a mail", () => {
  it("has its head in the order in which one reads it", () => {
    expect(mail().head.map(({ field, text }) => `${field} ${text}`)).toEqual([
      "From Mara",
      "To Jonas",
      "Subject The key",
      "Attachments plan.pdf",
    ]);
    expect(mail().body.map((line) => line.text)).toEqual(["To: nobody", "Bye"]);
  });

  it("keeps what is marked of its head, without the names of the fields", () => {
    const subject = mail([[0, 13]]).head.find(({ field }) => field === "Subject");
    expect(subject?.marks).toEqual([[0, 4]]);
    expect(mail([[0, 8]]).head.every(({ marks }) => marks.length === 0)).toBe(true);
  });

  it("is all text where it is shown from its middle on", () => {
    expect(mail([], 40).head).toEqual([]);
    expect(mail([], 40).body).toHaveLength(7);
  });
});
