// The library that the page is about: the one chosen here, else the server's own.

import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { get } from "../api/client";
import type { LibraryItem } from "../api/types";
import { keep, kept } from "../ui/kept";

/** The part of an address that names the library. */
export const LIBRARY = "in";
/** The part of the address of a conversation that has the words by which it was found. */
export const FOUND = "find";
const KEY = "manole.library";
const listeners = new Set<() => void>();

/** Choose a library by its name; null: the server's own. */
export function chooseLibrary(name: string | null): void {
  keep(KEY, name);
  for (const tell of listeners) tell();
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

export function useLibraries() {
  return useQuery({
    queryKey: ["libraries"],
    queryFn: ({ signal }) => get<{ libraries: LibraryItem[] }>("/libraries", {}, signal),
    select: (data) => data.libraries,
  });
}

/** The library in use; undefined while that is not known, null where there is none. */
export function useLibrary(): LibraryItem | null | undefined {
  const chosen = useSyncExternalStore(subscribe, () => kept(KEY));
  const { data } = useLibraries();
  if (!data) return undefined;
  return data.find((l) => l.name === chosen) ?? data.find((l) => l.default) ?? data[0] ?? null;
}
