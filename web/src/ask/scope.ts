// What of a library is asked: folders and files of it, and a period. It stands in the address.

import { LIBRARY } from "../app/library";
import { say } from "../language";
import { dayName, isDay } from "../ui/dates";

export interface Scope {
  /** Folders and files; none: all of them. */
  paths: string[];
  /** First and last day of a period ("2024-03-12"), if there is one. */
  from: string | null;
  to: string | null;
}

export const EVERYTHING: Scope = { paths: [], from: null, to: null };

export const FEW = 20; // files that one question can name one by one

/** The scope of an address; what are no days there is left out. */
export function scopeOf(search: URLSearchParams): Scope {
  const day = (end: string) => [search.get(end) ?? ""].find(isDay) ?? null;
  return { paths: search.getAll("scope"), from: day("from"), to: day("to") };
}

/** The period in words; null where there is none. */
export function periodOf({ from, to }: Scope): string | null {
  const words = say.ask.scope;
  if (from && to) return words.period(dayName(from), dayName(to));
  if (from) return words.since(dayName(from));
  return to ? words.until(dayName(to)) : null;
}

const PERIOD = /^(\d{4}-\d\d-\d\d)?\.\.(\d{4}-\d\d-\d\d)?$/;

/** A scope from its text, as the server keeps it: a path a line, and last the period. */
export function parsed(text: string | null): Scope {
  const lines = (text ?? "").split("\n").filter(Boolean);
  const period = lines.at(-1)?.match(PERIOD);
  if (!period) return { ...EVERYTHING, paths: lines };
  return { paths: lines.slice(0, -1), from: period[1] ?? null, to: period[2] ?? null };
}

const NAMED = 3; // places of a scope that are named

/** The scope in words: "recipes, home, 1 March 2024 – 2 March 2024"; null where it is everything. */
export function inWords(scope: Scope): string | null {
  const named = scope.paths.slice(0, NAMED);
  const more = scope.paths.length - named.length;
  const parts = [...named, more > 0 && say.ask.more(more), periodOf(scope)].filter(Boolean);
  return parts.join(", ") || null;
}

/** The same address, with another scope. */
export function withScope(search: URLSearchParams, scope: Scope): URLSearchParams {
  const rest = new URLSearchParams(search);
  for (const key of ["scope", "from", "to"]) rest.delete(key);
  for (const path of scope.paths) rest.append("scope", path);
  if (scope.from) rest.set("from", scope.from);
  if (scope.to) rest.set("to", scope.to);
  return rest;
}

/** The address where something of a library can be asked about: `askAbout(name, {paths: [file]})`. */
export function askAbout(library: string, scope: Partial<Scope>): string {
  const within = withScope(new URLSearchParams(), { ...EVERYTHING, ...scope });
  within.set(LIBRARY, library);
  return `/ask?${within}`;
}
