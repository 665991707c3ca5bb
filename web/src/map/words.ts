// What numbers and relations are called.

import type { Relation } from "../api/types";

const number = new Intl.NumberFormat("en-GB");

/** "1,204". */
export function grouped(count: number): string {
  return number.format(count);
}

/** "1 file", "1,204 files". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${number.format(count)} ${count === 1 ? one : many}`;
}

export function percent(part: number): string {
  return `${Math.round(100 * part)} %`;
}

/** A file's size: "612 bytes", "34 kB", "1.2 MB". */
export function sizeName(bytes: number): string {
  if (bytes < 1000) return counted(bytes, "byte");
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, "kB"] : [bytes / 1e6, "MB"];
  return `${value < 10 ? value.toFixed(1) : number.format(Math.round(value))} ${unit}`;
}

export const RELATION_NAMES: Record<Relation, { name: string; says: string }> = {
  similarity: { name: "Alike", says: "say similar things" },
  reference: {
    name: "Mentions",
    says: "name the same person, firm or account",
  },
  structure: { name: "Folders", says: "lie in the same folder" },
};

/** The order in which relations are told. */
export const TOLD: readonly Relation[] = ["similarity", "reference", "structure"];
