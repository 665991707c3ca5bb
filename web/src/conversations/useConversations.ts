// The kept conversations, page by page, and what can be done with them.

import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { ApiError, change, get, send } from "../api/client";
import type { ConversationItem } from "../api/types";
import { Deletions } from "./deletions";

interface Page {
  conversations: ConversationItem[];
}

const PAGE = 50;

const keyOf = (library: string) => ["conversations", library] as const;
const pathOf = (library: string, id: string) => `/libraries/${library}/conversations/${id}`;

/** Where the server gives a conversation as a document. */
export function exportOf(library: string, id: string, format: "markdown" | "json"): string {
  return `${pathOf(library, id)}/export?format=${format}`;
}

export function useConversations(library: string, containing: string) {
  return useInfiniteQuery({
    queryKey: [...keyOf(library), containing],
    placeholderData: keepPreviousData,
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      get<Page>(
        `/libraries/${library}/conversations`,
        { limit: PAGE, offset: pageParam, containing },
        signal,
      ),
    getNextPageParam: (last, pages) =>
      last.conversations.length < PAGE ? undefined : pages.length * PAGE,
  });
}

/** Gives a conversation another title, in every list that shows it. Throws `ApiError`. */
export function useRename(library: string) {
  const queries = useQueryClient();
  return async (id: string, title: string) => {
    const renamed = await change<ConversationItem>("PATCH", pathOf(library, id), { title });
    const put = (items: ConversationItem[]) =>
      items.map((item) => (item.id === id ? renamed : item));
    queries.setQueriesData({ queryKey: keyOf(library) }, (data: unknown) => within(data, put));
  };
}

/** Deletions in this list; they are sent at once when it is left. */
export function useDeletions(library: string) {
  const queries = useQueryClient();
  const [deletions] = useState(
    () =>
      new Deletions(async (id, leaving) => {
        try {
          await send(pathOf(library, id), {
            method: "DELETE",
            keepalive: leaving,
          });
        } catch (error) {
          const gone = error instanceof ApiError && error.status === 404;
          if (!gone) throw error;
        }
        const drop = (items: ConversationItem[]) => items.filter((item) => item.id !== id);
        queries.setQueriesData({ queryKey: keyOf(library) }, (data: unknown) => within(data, drop));
        await queries.invalidateQueries({ queryKey: keyOf(library) });
      }),
  );
  useEffect(() => {
    const leave = () => deletions.leave();
    window.addEventListener("pagehide", leave);
    return () => {
      window.removeEventListener("pagehide", leave);
      leave();
    };
  }, [deletions]);
  return {
    deletions,
    entries: useSyncExternalStore(deletions.subscribe, deletions.entries),
  };
}

/** `data` with its lists changed, where it is one of this module's; another's stays. */
function within(data: unknown, put: (items: ConversationItem[]) => ConversationItem[]): unknown {
  const known = data as InfiniteData<Page> | undefined;
  if (!Array.isArray(known?.pages)) return data;
  const pages = known.pages.map((page) => ({
    conversations: put(page.conversations),
  }));
  return { ...known, pages };
}
