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

const KEY = ["conversations"] as const;
const pathOf = ({ library, id }: ConversationItem) => `/libraries/${library}/conversations/${id}`;

/** Where the server gives a conversation as a document. */
export function exportOf(item: ConversationItem, format: "markdown" | "json"): string {
  return `${pathOf(item)}/export?format=${format}`;
}

/** The conversations about every library. */
export function useConversations(containing: string) {
  return useInfiniteQuery({
    queryKey: [...KEY, "found", containing],
    placeholderData: keepPreviousData,
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      get<Page>("/conversations", { limit: PAGE, offset: pageParam, containing }, signal),
    getNextPageParam: (last, pages) =>
      last.conversations.length < PAGE ? undefined : pages.length * PAGE,
  });
}

/** Gives a conversation another title, in every list that shows it. Throws `ApiError`. */
export function useRename() {
  const queries = useQueryClient();
  return async (one: ConversationItem, title: string) => {
    const renamed = await change<ConversationItem>("PATCH", pathOf(one), { title });
    const put = (items: ConversationItem[]) =>
      items.map((item) => (item.id === one.id ? { ...item, ...renamed } : item));
    queries.setQueriesData({ queryKey: KEY }, (data: unknown) => within(data, put));
  };
}

/** Deletions in this list; they are sent at once when it is left. */
export function useDeletions() {
  const queries = useQueryClient();
  const [deletions] = useState(
    () =>
      new Deletions(async (one, leaving) => {
        try {
          await send(pathOf(one), {
            method: "DELETE",
            keepalive: leaving,
          });
        } catch (error) {
          const gone = error instanceof ApiError && error.status === 404;
          if (!gone) throw error;
        }
        const drop = (items: ConversationItem[]) => items.filter((item) => item.id !== one.id);
        queries.setQueriesData({ queryKey: KEY }, (data: unknown) => within(data, drop));
        await queries.invalidateQueries({ queryKey: KEY });
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
