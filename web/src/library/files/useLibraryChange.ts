// Giving a library another title, and taking one out.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { change } from "../../api/client";
import type { LibraryItem } from "../../api/types";
import { ALL, chooseLibrary } from "../../app/library";

/** Renames a library; null: called by its folders again. Throws `ApiError`. */
export function useRenameLibrary(name: string) {
  const queries = useQueryClient();
  return async (title: string | null) => {
    await change<LibraryItem>("PATCH", `/libraries/${name}`, { title });
    await queries.invalidateQueries({ queryKey: ["libraries"] });
  };
}

/** Takes a library out, and chooses the server's own; nothing is asked about it from then on. */
export function useRemoveLibrary() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (name: string) => {
      await queries.cancelQueries({ predicate: ({ queryKey }) => queryKey.includes(name) });
      await change("DELETE", `/libraries/${name}`);
    },
    onSuccess: async (_, name) => {
      queries.setQueryData<{ libraries: LibraryItem[] }>(
        ["libraries"],
        (known) => known && { libraries: known.libraries.filter((one) => one.name !== name) },
      );
      chooseLibrary(null);
      await queries.invalidateQueries({ queryKey: ["libraries"] });
      queries.removeQueries({
        predicate: ({ queryKey }) => queryKey.includes(name) || queryKey.includes(ALL),
      });
    },
  });
}
