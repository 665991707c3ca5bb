// Words of a file as a page has them, without the signs of Markdown and of the rows of a sheet.

const NOTHING = "\u200b"; // takes no width, in the place of a sign

/** A quotation as a page has it. */
export function quoted(text: string): string {
  return plain(text).replaceAll(NOTHING, "").trim();
}

/** The text as a page has it, without the signs of Markdown; each character keeps its place. */
export function plain(text: string): string {
  const joined = text.replace(/(?<=[^\n]{50})\n(?=\S)(?![-*•#|]|\d+[.)])/g, " "); // ran on
  const close = joined.replace(/(?<=\n)\s*\n/g, (rest) => NOTHING.repeat(rest.length));
  return close.split("\n").map(withoutSigns).join("\n");
}

function withoutSigns(line: string): string {
  const gone = (sign: string) => NOTHING.repeat(sign.length);
  if (/^\|[ :|-]+\|$/.test(line)) return gone(line); // below the head of a table
  if (line.startsWith("|")) return line.replace(/^\| ?| ?\|$/g, gone).replaceAll(" | ", " · ");
  return line.replace(/^#+ |\*\*/g, gone);
}
