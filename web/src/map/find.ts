// Nodes by name: what is typed need not match in case or accents.

import type { Model } from "./graph";

export type Finder = (query: string, limit: number) => number[];

export function folded(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** A way to find nodes: names that begin so come first, then other names, then paths. */
export function finderOf(model: Model): Finder {
  const names = model.names.map(folded);
  const paths = model.nodes.map((node) => folded(node.id));
  return (query, limit) => {
    const words = folded(query).split(/\s+/).filter(Boolean);
    const first = words[0];
    if (first === undefined) return [];
    const found: [number, number][] = [];
    names.forEach((name, node) => {
      const path = paths[node] ?? "";
      if (words.every((word) => name.includes(word) || path.includes(word))) {
        found.push([rankOf(name, first), node]);
      }
    });
    found.sort((a, b) => a[0] - b[0] || (names[a[1]]?.length ?? 0) - (names[b[1]]?.length ?? 0));
    return found.slice(0, limit).map(([, node]) => node);
  };
}

function rankOf(name: string, word: string): number {
  const place = name.indexOf(word);
  if (place < 0) return 3;
  if (place === 0) return 0;
  return /[\p{L}\p{N}]/u.test(name[place - 1] ?? "") ? 2 : 1;
}
