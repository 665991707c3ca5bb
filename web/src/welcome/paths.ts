// Paths of folders as the server writes them, here only to be shown and gone through.

import { say } from "../language";

const SAID = say.welcome.folders;

export interface Crumb {
  name: string;
  path: string;
}

/** The folders that lead to `path`, beginning at the home folder where it lies in that. */
export function crumbs(path: string, home: string): Crumb[] {
  const separator = /^[A-Za-z]:\\|^\\\\/.test(path) ? "\\" : "/";
  const inHome = path === home || path.startsWith(home + separator);
  const top: Crumb = inHome ? { name: SAID.home, path: home } : topOf(path, separator);
  const found = [top];
  for (const name of path.slice(top.path.length).split(separator).filter(Boolean)) {
    const above = found.at(-1) as Crumb;
    const between = above.path.endsWith(separator) ? "" : separator;
    found.push({ name, path: above.path + between + name });
  }
  return found;
}

function topOf(path: string, separator: string): Crumb {
  if (separator === "/") return { name: SAID.machine, path: "/" };
  const drive = path.slice(0, 3);
  return { name: drive, path: drive };
}

/** A path as a person writes it: `~/Documents`. */
export function shortPath(path: string, home: string): string {
  if (path === home) return SAID.yourHome;
  const rest = path.startsWith(home) ? path.slice(home.length) : "";
  return /^[\\/]/.test(rest) ? `~${rest}` : path;
}

/** What was typed as a path; one that does not begin at the top goes on from `here`. */
export function typedPath(typed: string, here: string): string {
  const text = typed.trim();
  if (/^(?:~|\/|\\\\|[A-Za-z]:\\)/.test(text) || text === "") return text;
  return here.endsWith("/") ? here + text : `${here}/${text}`;
}
