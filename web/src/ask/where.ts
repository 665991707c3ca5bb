import type { Source } from "../api/types";
import { say } from "../language";

/** Where a source stands, in words: `home/lease.pdf, page 2`. */
export function whereOf(source: Pick<Source, "file" | "page" | "line">): string {
  if (source.page) return `${source.file}, ${say.ask.page(source.page)}`;
  return source.line ? `${source.file}, ${say.ask.line(source.line)}` : source.file;
}
