import type { Source } from "../api/types";
import { say } from "../language";
import { pageWords } from "../source/moment";

/** Where a source stands, in words: `home/lease.pdf, page 2`. */
export function whereOf(source: Pick<Source, "file" | "page" | "line">): string {
  if (source.page) {
    return `${source.file}, ${pageWords(source.file, source.page, say.ask.page)}`;
  }
  return source.line ? `${source.file}, ${say.ask.line(source.line)}` : source.file;
}
