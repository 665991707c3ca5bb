// The conversation that is shown, from those that the page keeps.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import { useLocation } from "react-router";
import { get } from "../api/client";
import type { TurnState } from "../api/types";
import { Conversation } from "./talks";

const OFTEN_MS = 2_000; // while something is being answered
const SELDOM_MS = 5_000;

/** What leads to another new conversation, where one without an id is shown. */
export const FRESH = () => ({ state: { fresh: performance.now() } });

const talks = new Map<string, Conversation>();

function talkOf(library: string, id: string, changed: () => void): Conversation {
  const key = `${library}/${id}`;
  const known = talks.get(key) ?? new Conversation(library, id, changed);
  talks.set(key, known);
  return known;
}

/** The turns that the server is answering, and those that ended last, of every library. */
export function useTurns(): TurnState[] {
  const { data } = useQuery({
    queryKey: ["turns"],
    queryFn: ({ signal }) => get<{ turns: TurnState[] }>("/turns", {}, signal),
    refetchInterval: (query) => (query.state.data?.turns.some(isRunning) ? OFTEN_MS : SELDOM_MS),
  });
  return data?.turns ?? [];
}

export function isRunning(turn: TurnState): boolean {
  return turn.state === "running";
}

/** A conversation by its id; without one a new one, which is kept under its id once it has one. */
export function useTalk(library: string | undefined, id: string | undefined) {
  const queries = useQueryClient();
  const known = useTurns();
  const fresh = (useLocation().state as { fresh?: number } | null)?.fresh;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new one each time it is asked for
  const talk = useMemo(() => {
    const changed = () => {
      queries.invalidateQueries({ queryKey: ["turns"] });
      queries.invalidateQueries({ queryKey: ["conversations"] });
      queries.invalidateQueries({ queryKey: ["health"] }); // the frame says at once who is away
    };
    const name = library ?? "";
    return id && library ? talkOf(name, id, changed) : new Conversation(name, null, changed);
  }, [library, id, queries, id ? 0 : fresh]);
  const state = useSyncExternalStore(talk.subscribe, talk.state);
  useEffect(() => void talk.load(), [talk]);
  useEffect(() => talk.heard(known), [talk, known]);
  const begun = useCallback(
    (given: string) => talks.set(`${talk.state().library}/${given}`, talk),
    [talk],
  );
  return { talk, state, begun };
}
