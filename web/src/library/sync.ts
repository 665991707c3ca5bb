// A library's sync and its list of files, as the server tells of them, and what can be asked for.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { ApiError, change, get } from "../api/client";
import type { FileItem, LibraryItem, LibraryStatus, SyncState } from "../api/types";
import { ALL, useLibraries } from "../app/library";
import { keyOf } from "./rows";

const PART = 1000; // files of one request
const MANY = 2000; // files from which the list is asked for less often
const OFTEN_MS = 700; // while a sync runs
const SELDOM_MS = 10_000;

/**
 * The state of a library's sync; of all, the one that runs. When one ends, everything read from the
 * index is asked for anew.
 */
export function useSync(name: string) {
  const queries = useQueryClient();
  const { data: known } = useLibraries();
  const names = name === ALL ? (known ?? []).map((library) => library.name) : [name];
  const query = useQuery({
    queryKey: ["sync", name, ...(name === ALL ? names : [])],
    queryFn: async ({ signal }) => {
      const states = names.map((one) => get<SyncState>(`/libraries/${one}/sync`, {}, signal));
      return asOne(await Promise.all(states));
    },
    enabled: names.length > 0,
    refetchInterval: ({ state: { data } }) =>
      data?.state === "running" ? OFTEN_MS * names.length : SELDOM_MS,
  });
  const now = query.data;
  const before = useRef(now);
  useEffect(() => {
    const { state, report } = before.current ?? {};
    before.current = now;
    // A short one, of a watch, has begun and ended between two looks: its report is another.
    const ended = now?.state !== "running" && (state === "running" || now?.report !== report);
    if (state && ended) {
      queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "sync" });
    }
  }, [now, queries]);
  const gone = isGone(query.error);
  useEffect(() => {
    if (gone) queries.invalidateQueries({ queryKey: ["libraries"] }); // it was removed elsewhere
  }, [gone, queries]);
  return query;
}

/** The syncs of several libraries as one: what runs, else what the last ones did together. */
export function asOne([first, ...others]: SyncState[]): SyncState {
  if (!first) throw new Error("no library, no sync");
  if (others.length === 0) return first;
  const all = [first, ...others];
  const reports = all.map(reportOf).filter((report) => report !== null);
  const sum = (of: (report: Report) => number) => reports.reduce((n, one) => n + of(one), 0);
  const report: Report = {
    added: sum(({ added }) => added),
    changed: sum(({ changed }) => changed),
    renamed: sum(({ renamed }) => renamed),
    deleted: sum(({ deleted }) => deleted),
    seconds: sum(({ seconds }) => seconds),
    notice: null,
    unreadable: reports.flatMap(({ unreadable }) => unreadable),
  };
  const running = all.find(({ state }) => state === "running");
  const rest = { library: ALL, progress: null, error: null, would_drop: false };
  return running ?? { ...rest, state: "idle", report: reports.length > 0 ? { ...report } : null };
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** Every file of a library, and how many there are of each status. */
export function useFiles(name: string, running: boolean) {
  return useQuery({
    queryKey: ["library-files", name],
    queryFn: ({ signal }) => everyFile(name, signal),
    refetchInterval: (query) => {
      if (!running) return false;
      return (query.state.data?.total ?? 0) > MANY ? 20_000 : 4_000;
    },
    placeholderData: (old) => (old?.library === name ? old : undefined),
  });
}

async function everyFile(name: string, signal: AbortSignal): Promise<LibraryStatus> {
  const found = new Map<string, FileItem>();
  let part: LibraryStatus;
  let offset = 0;
  do {
    part = await get<LibraryStatus>(`/libraries/${name}/status`, { limit: PART, offset }, signal);
    // A sync may move files from one part to another while they are asked for.
    for (const file of part.files) found.set(keyOf(file), file);
    offset += PART;
  } while (offset < part.total && part.files.length > 0);
  return { ...part, files: [...found.values()] };
}

/** Whether an error only says that there is no index yet. */
export function isNotIndexed(error: unknown): boolean {
  return error instanceof ApiError && error.code === "not_indexed";
}

/** Begin a sync; `force` reads every file anew, `yes` lets most files of the library go. */
export function useStart(name: string) {
  return useSyncChange(name, (how: "" | "force" | "yes") =>
    change<SyncState>("POST", `/libraries/${name}/sync${how && `?${how}=true`}`),
  );
}

/** Stop the running sync. */
export function useStop(name: string) {
  return useSyncChange(name, () => change<SyncState>("DELETE", `/libraries/${name}/sync`));
}

/** Read one file again. */
export function useReread(name: string) {
  return useSyncChange(name, (path: string) =>
    change<SyncState>("POST", `/libraries/${name}/files/reread`, { path }),
  );
}

/** Change what a library leaves out, and bring its index up to date with that. */
export function useExclude(name: string, running: boolean) {
  const queries = useQueryClient();
  return useSyncChange(name, async (exclude: string[]) => {
    // A sync that runs began without the change; stopped and begun anew, it keeps what it read.
    if (running) await change("DELETE", `/libraries/${name}/sync`);
    await change<LibraryItem>("PATCH", `/libraries/${name}`, { exclude });
    await queries.invalidateQueries({ queryKey: ["libraries"] });
    return change<SyncState>("POST", `/libraries/${name}/sync`);
  });
}

function useSyncChange<T>(name: string, run: (given: T) => Promise<SyncState>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: (state) => queries.setQueryData(["sync", name], state),
    onError: () => queries.invalidateQueries({ queryKey: ["sync", name] }),
  });
}

/** What a sync did, as far as it is shown. */
export interface Report {
  added: number;
  changed: number;
  renamed: number;
  deleted: number;
  seconds: number;
  notice: string | null;
  unreadable: { folder: string; reason: string }[];
}

/** The report of a sync that is done. */
export function reportOf(state: SyncState | undefined): Report | null {
  return (state?.report as Report | null | undefined) ?? null;
}
