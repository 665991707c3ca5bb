// Which files the table shows, and in which order.

import type { FileItem, FileStatus } from "../api/types";
import { fileName } from "../ui/files";
import { compareNames, isIn } from "./folders";
import { severity } from "./problems";

export type SortKey = "name" | "date" | "size" | "status";

export interface Sorting {
  by: SortKey;
  down: boolean;
}

export interface Wanted {
  status: FileStatus | null;
  words: string;
  folder: string;
}

/** Everything, in every folder. */
export const ALL: Wanted = { status: null, words: "", folder: "" };

/** What distinguishes a file from every other of its library. */
export function keyOf(file: FileItem): string {
  return `${file.root}\n${file.file}`;
}

/** The files that fit: of this status, in this folder, with every word in the path. */
export function filtered(files: readonly FileItem[], wanted: Wanted): FileItem[] {
  const words = plain(wanted.words).split(/\s+/).filter(Boolean);
  return files.filter((file) => {
    if (wanted.status && file.status !== wanted.status) return false;
    if (!isIn(file.file, wanted.folder)) return false;
    if (words.length === 0) return true;
    const path = plain(file.file);
    return words.every((word) => path.includes(word));
  });
}

/** The same files in order. What is equal is ordered by its path. */
export function sorted(files: readonly FileItem[], { by, down }: Sorting): FileItem[] {
  const compare = COMPARE[by];
  const turn = down ? -1 : 1;
  return [...files].sort((a, b) => turn * compare(a, b) || compareNames(a.file, b.file));
}

/** The first order of a column: what one looks for there comes first. */
export function firstOrder(by: SortKey): Sorting {
  return { by, down: by === "date" || by === "size" };
}

/** The date of a file: its own, else the day it was changed. */
export function dateOf(file: FileItem): string {
  return file.date ?? file.modified;
}

const COMPARE: Record<SortKey, (a: FileItem, b: FileItem) => number> = {
  name: (a, b) => compareNames(fileName(a.file), fileName(b.file)),
  date: (a, b) => text(dateOf(a), dateOf(b)),
  size: (a, b) => a.size - b.size,
  status: (a, b) => severity(a.status) - severity(b.status),
};

function text(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

// Without accents and case, so that `uber` finds `Übergabe`, however its letters are composed.
function plain(words: string): string {
  return words
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
}
