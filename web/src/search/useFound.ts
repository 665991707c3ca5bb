// The passages that fit a query, asked for as it changes.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { get } from "../api/client";
import type { FoundPassage } from "../api/types";
import { parametersOf, type Query } from "./query";

/** What is shown stays until the next is there; a request that is overtaken is aborted. */
export function useFound(query: Query, library: string, limit: number) {
  const parameters = parametersOf(query, library, limit);
  return useQuery({
    queryKey: ["search", parameters],
    enabled: query.q !== "",
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 60_000,
    queryFn: async ({ signal }) => {
      const begun = performance.now();
      const { results } = await get<{ results: FoundPassage[] }>("/search", parameters, signal);
      return { results, ms: performance.now() - begun, full: results.length >= limit };
    },
  });
}
