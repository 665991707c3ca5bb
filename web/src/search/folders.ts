// The folders of a library, from the paths of its files.

import { queryOptions, useQuery } from "@tanstack/react-query";
import { get } from "../api/client";
import type { FileList } from "../api/types";
import { folderOf } from "../ui/files";

export interface Folder {
  path: string;
  /** Files in it and below. */
  files: number;
}

const PAGE = 1000; // what the server gives at once
const MOST = 20_000; // files whose paths are looked at; a folder may be typed in any case

/** Every folder that holds a file, itself or below, in the order of their paths. */
export function foldersOf(paths: readonly string[]): Folder[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    for (let folder = folderOf(path); folder; folder = folderOf(folder)) {
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  const parts = (path: string) => path.replaceAll("/", "\u0000"); // a folder before its neighbours
  return [...counts]
    .map(([path, files]) => ({ path, files }))
    .sort((a, b) => (parts(a.path) < parts(b.path) ? -1 : 1));
}

/** The folders that `text` may mean; every one for "". */
export function matching(folders: readonly Folder[], text: string): Folder[] {
  const wanted = text.trim().toLowerCase();
  return folders.filter(({ path }) => path.toLowerCase().includes(wanted));
}

/** The folders of a library, once they are asked for. */
export function useFolders(library: string, wanted: boolean) {
  return useQuery({ ...paths(library, wanted), select: foldersOf });
}

/** The files and folders of a library, once they are asked for. */
export function usePlaces(library: string, wanted: boolean) {
  const select = (all: string[]) => [...foldersOf(all).map(({ path }) => path), ...all];
  return useQuery({ ...paths(library, wanted), select });
}

function paths(library: string, wanted: boolean) {
  return queryOptions({
    queryKey: ["paths of", library],
    enabled: wanted,
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const all: string[] = [];
      for (let offset = 0; offset < MOST; offset += PAGE) {
        const query = { limit: PAGE, offset };
        const list = await get<FileList>(`/libraries/${library}/files`, query, signal);
        all.push(...list.files.map(({ file }) => file));
        if (list.files.length < PAGE) break;
      }
      return all;
    },
  });
}
