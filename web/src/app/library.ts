// The library that the page is about: the one chosen here, else the server's own; or all at once.

import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { useLocation, useNavigate } from "react-router";
import { get } from "../api/client";
import type { Health, LibraryItem } from "../api/types";
import { pathNow } from "../ui/address";
import { keep, kept } from "../ui/kept";

/** The part of an address that names the library. */
export const LIBRARY = "in";
/** The part of the address of a conversation that has the words by which it was found. */
export const FOUND = "find";
/** What of an address is as good for another library. */
const COMMON = ["q", "tab", "view", "type", "sort"];
/** The name of every library at once, as the server calls it. */
export const ALL = "all";
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

/** Whether the server runs, and what it answers for. */
export const health = queryOptions({
  queryKey: ["health"],
  queryFn: ({ signal }) => get<Health>("/health", {}, signal),
  retry: false,
});

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
  // The frame asks again and again; here it is only known what the server began with.
  const server = useQuery({ ...health, staleTime: Number.POSITIVE_INFINITY });
  if (chosen === null && server.isPending) return undefined;
  const own = server.data?.library === ALL ? ALL : null;
  return data && libraryCalled(chosen ?? own, data);
}

/**
 * Keeps the library in every address. One that comes with an address is chosen; where another one
 * is chosen, the address names that. True for as long as the two differ.
 */
export function useAddressed(chosen: string | undefined): boolean {
  const location = useLocation();
  const navigate = useNavigate();
  const { data } = useLibraries();
  const written = useRef<string | null>(null); // that the address had last
  const search = new URLSearchParams(location.search);
  const named = search.get(LIBRARY);
  const known = !!data && libraryCalled(named, data)?.name === named;
  const elsewhere = known && named !== chosen;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is read when one of these changes
  useEffect(() => {
    if (!chosen || location.pathname === "/welcome") return;
    if (pathNow() !== location.pathname) return; // who has gone on meanwhile is not called back
    const comes = elsewhere && named !== written.current;
    written.current = comes ? named : chosen;
    if (comes) chooseLibrary(named);
    else if (named !== chosen) {
      const own = [...search].filter(
        ([key]) => key !== LIBRARY && (!known || COMMON.includes(key)),
      );
      // A conversation is about one library: another one begins a new conversation.
      const talk = elsewhere && location.pathname.startsWith("/ask/");
      navigate(
        {
          pathname: talk ? "/ask" : location.pathname,
          search: new URLSearchParams([...own, [LIBRARY, chosen]]).toString(),
        },
        { replace: !talk, state: location.state },
      );
    }
  }, [named, chosen, known, location.pathname]);
  return elsewhere;
}

/** The library of that name, else the server's own; null where there is none. */
export function libraryCalled(name: string | null, all: LibraryItem[]): LibraryItem | null {
  if (name === ALL && all.length > 0) return together(all);
  return all.find((l) => l.name === name) ?? all.find((l) => l.default) ?? all[0] ?? null;
}

/** All libraries as one, as current as the one that was brought up to date last. */
export function together(all: LibraryItem[]): LibraryItem {
  const sum = (of: (library: LibraryItem) => number) => all.reduce((n, one) => n + of(one), 0);
  return {
    name: ALL,
    title: null,
    roots: all.flatMap(({ roots }) => roots),
    files: sum(({ files }) => files),
    passages: sum(({ passages }) => passages),
    updated: all.reduce<string | null>((last, { updated }) => later(last, updated), null),
    problem: null,
    default: false,
    exclude: [],
    indexed: true,
  };
}

/** The address of a conversation, and the words by which it was found. */
export function toTalk({ library, id }: { library: string; id: string }, found = ""): string {
  const about = { [LIBRARY]: library, ...(found && { [FOUND]: found }) };
  return `/ask/${id}?${new URLSearchParams(about)}`;
}

function later(one: string | null, other: string | null): string | null {
  return (one ?? "") > (other ?? "") ? one : other; // all are moments of Greenwich
}
