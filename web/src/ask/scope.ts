// What of a library is asked: folders and files of it, and a period. It stands in the address.

import { LIBRARY } from "../app/library";

export interface Scope {
  /** Folders and files; none: all of them. */
  paths: string[];
  /** First and last day of a period ("2024-03-12"), if there is one. */
  from: string | null;
  to: string | null;
}

export const EVERYTHING: Scope = { paths: [], from: null, to: null };

export function scopeOf(search: URLSearchParams): Scope {
  return { paths: search.getAll("scope"), from: search.get("from"), to: search.get("to") };
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
