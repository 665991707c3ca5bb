import type { Source } from "../api/types";

/** Where a source stands, in words: `home/lease.pdf, page 2`. */
export function whereOf(source: Pick<Source, "file" | "page" | "line">): string {
  if (source.page) return `${source.file}, page ${source.page}`;
  return source.line ? `${source.file}, line ${source.line}` : source.file;
}
