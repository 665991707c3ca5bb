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

/** Takes a library out, and chooses the server's own. */
export function useRemoveLibrary() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => change("DELETE", `/libraries/${name}`),
    onSuccess: (_, name) => {
      queries.removeQueries({
        predicate: ({ queryKey }) => queryKey.includes(name) || queryKey.includes(ALL),
      });
      chooseLibrary(null);
      return queries.invalidateQueries({ queryKey: ["libraries"] });
    },
  });
}
