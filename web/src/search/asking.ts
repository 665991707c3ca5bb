// What can be asked from here: what a search found, within the folder and the days it is limited to.

import { FEW, type Scope } from "../ask/scope";
import { say } from "../language";
import type { Query } from "./query";

export interface Asking {
  scope: Scope;
  /** What the action is called. */
  name: string;
}

/**
 * The files that are marked; else all that were found, where they are few; else the folder and the
 * days of the search. Null where there is neither: then a question is as wide as the library.
 */
export function askingOf(
  { folder, since, until }: Pick<Query, "folder" | "since" | "until">,
  found: readonly string[] = [],
  marked: ReadonlySet<string> = new Set(),
): Asking | null {
  const own = found.filter((file) => marked.has(file));
  const files = own.length === 0 && found.length <= FEW ? found : own;
  const days = { from: since || null, to: until || null };
  if (files.length > 0) {
    return { scope: { paths: [...files], ...days }, name: say.search.ask.files(files.length) };
  }
  const dated = since !== "" || until !== "";
  if (!folder && !dated) return null;
  const part = !folder ? "period" : dated ? "both" : "folder";
  return { scope: { paths: folder ? [folder] : [], ...days }, name: say.search.ask[part] };
}
