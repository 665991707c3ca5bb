// The passages that fit a query, asked for as it changes.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { get } from "../api/client";
import type { SearchResults } from "../api/types";
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
      const found = await get<SearchResults>("/search", parameters, signal);
      const full = found.results.length >= limit;
      return { ...found, ms: performance.now() - begun, full };
    },
  });
}
