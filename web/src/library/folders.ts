// Folders of a library, made from the paths of its files, and the patterns that leave some out.

import type { FileItem } from "../api/types";
import { locale, say } from "../language";
import { fileName, folderOf } from "../ui/files";

export interface Folder {
  path: string; // relative, "" for the whole library
  name: string;
  files: number; // with all that lies deeper
  troubled: number; // those of them that failed or were read in part
  inside: Folder[];
}

/** The folders as a tree. Folders of the same path below several roots are one, as patterns see it. */
export function folderTree(files: readonly FileItem[]): Folder {
  const top: Folder = { path: "", name: "", files: 0, troubled: 0, inside: [] };
  const known = new Map([["", top]]);
  const at = (path: string): Folder => {
    const found = known.get(path);
    if (found) return found;
    const made = { path, name: fileName(path), files: 0, troubled: 0, inside: [] };
    known.set(path, made);
    at(folderOf(path)).inside.push(made);
    return made;
  };
  for (const { file, status } of files) {
    const trouble = status === "failed" || status === "partial" ? 1 : 0;
    for (let path: string | null = folderOf(file); path !== null; path = above(path)) {
      const folder = at(path);
      folder.files++;
      folder.troubled += trouble;
    }
  }
  for (const folder of known.values()) folder.inside.sort((a, b) => compareNames(a.name, b.name));
  return top;
}

const COLLATOR = new Intl.Collator(locale, { numeric: true, sensitivity: "base" });

/** The order of names that a person expects: `page 2` before `page 10`. */
export const compareNames = COLLATOR.compare;

/** Whether a file lies in `folder`, however deep. */
export function isIn(file: string, folder: string): boolean {
  return folder === "" || file.startsWith(`${folder}/`);
}

function above(path: string): string | null {
  return path ? folderOf(path) : null;
}

/** The pattern (as in .gitignore) that leaves out exactly this folder, or this file. */
export function patternFor(path: string, kind: "file" | "folder"): string {
  const literal = path.replace(/[\\*?[\]]/g, "\\$&");
  return kind === "folder" ? `/${literal}/` : `/${literal.replace(/ $/, "\\ ")}`;
}

/** What a pattern leaves out, in words. One that was not made here is shown as it is. */
export function patternInWords(pattern: string): { kind: string; text: string } {
  const { kinds } = say.library.excluded;
  const bare = pattern.replace(/\\[\\*?[\] ]/g, "");
  if (!pattern.startsWith("/") || /[*?[\]\\]/.test(bare))
    return { kind: kinds.pattern, text: pattern };
  const text = pattern.replace(/^\/|\/$/g, "").replace(/\\(.)/g, "$1");
  return { kind: pattern.endsWith("/") ? kinds.folder : kinds.file, text };
}
