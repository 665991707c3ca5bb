// Making a library of a folder, or of the example that comes with Manole.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { change } from "../api/client";
import type { LibraryItem } from "../api/types";
import { chooseLibrary } from "../app/library";

/** A folder to read, or the example. */
export type Choice = { folder: string } | "example";

/** Adds a library, which is read at once, and makes it the one in use. */
export function useAddLibrary() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (choice: Choice) =>
      choice === "example"
        ? change<LibraryItem>("POST", "/libraries/example")
        : change<LibraryItem>("POST", "/libraries", choice),
    onSuccess: async (library) => {
      await queries.invalidateQueries({ queryKey: ["libraries"] });
      chooseLibrary(library.name);
      await queries.invalidateQueries({ queryKey: ["sync", library.name] });
    },
  });
}
