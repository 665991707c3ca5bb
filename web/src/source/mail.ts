// A mail as Manole reads it: lines of its head, a blank one, the text.

import type { Span } from "../api/types";
import type { TextLine } from "./lines";

const FIELDS = ["From", "To", "Cc", "Date", "Subject", "Attachments"] as const;
const FIELD = new RegExp(`^(${FIELDS.join("|")}): `);

export type MailField = (typeof FIELDS)[number];

export interface Mail {
  head: { field: MailField; text: string; marks: Span[] }[];
  body: TextLine[];
}

/** The head in the order in which one reads it, and the text; without a head all is text. */
export function mailOf(lines: readonly TextLine[]): Mail {
  const head: Mail["head"] = [];
  let at = 0;
  for (; lines[0]?.number === 1 && at < lines.length; at++) {
    const line = lines[at] as TextLine;
    const found = FIELD.exec(line.text);
    if (!found) break;
    const length = found[0].length;
    const marks = line.marks
      .filter(([, end]) => end > length)
      .map(([start, end]): Span => [Math.max(start - length, 0), end - length]);
    head.push({ field: found[1] as MailField, text: line.text.slice(length), marks });
  }
  head.sort((a, b) => FIELDS.indexOf(a.field) - FIELDS.indexOf(b.field));
  if (head.length > 0 && lines[at]?.text === "") at++;
  return { head, body: lines.slice(at) };
}
