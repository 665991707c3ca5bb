// Nodes by name: what is typed need not match in case or accents.

import type { FileGraph } from "./graph";

export type Finder = (query: string, limit: number) => string[];

export function folded(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** A way to find nodes: names that begin so come first, then other names, then paths. */
export function finderOf(graph: FileGraph): Finder {
  const known = graph.mapNodes((path, { label }) => ({
    path,
    name: folded(label),
    all: folded(`${label}\n${path}`),
  }));
  return (query, limit) => {
    const words = folded(query).split(/\s+/).filter(Boolean);
    const [first] = words;
    if (first === undefined) return [];
    return known
      .filter(({ all }) => words.every((word) => all.includes(word)))
      .map(({ path, name }) => ({ path, rank: rankOf(name, first), length: name.length }))
      .sort((a, b) => a.rank - b.rank || a.length - b.length)
      .slice(0, limit)
      .map(({ path }) => path);
  };
}

function rankOf(name: string, word: string): number {
  const place = name.indexOf(word);
  if (place < 0) return 3;
  if (place === 0) return 0;
  return /[\p{L}\p{N}]/u.test(name[place - 1] ?? "") ? 2 : 1;
}
