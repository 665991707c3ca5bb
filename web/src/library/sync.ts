// A library's sync and its list of files, as the server tells of them, and what can be asked for.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { ApiError, change, get } from "../api/client";
import type { FileItem, LibraryItem, LibraryStatus, SyncState } from "../api/types";
import { keyOf } from "./rows";

const PART = 1000; // files of one request
const MANY = 2000; // files from which the list is asked for less often

/** The state of a library's sync. When one ends, everything read from the index is asked for anew. */
export function useSync(name: string) {
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: ["sync", name],
    queryFn: ({ signal }) => get<SyncState>(`/libraries/${name}/sync`, {}, signal),
    refetchInterval: (query) => (query.state.data?.state === "running" ? 700 : 10_000),
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
