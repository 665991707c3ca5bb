// The turns of a conversation: those that were kept, and the one that is being answered.

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { ApiError, change, get, OfflineError } from "../api/client";
import { post } from "../api/stream";
import type { ConversationItem, TurnEvent, WholeConversation } from "../api/types";
import { after, begun, kept, type Turn } from "./turn";

export interface Options {
  thorough: boolean;
  scope: string | null;
}

const RETRY_MS = 1_500; // while the server is away

export interface ConversationState {
  turns: Turn[];
  loading: boolean;
  error: unknown;
  /** Ask; gives the conversation's id as soon as there is one. */
  ask: (question: string, options: Options) => Promise<void>;
  stop: () => void;
  rate: (turn: Turn, rating: "up" | "down" | null) => void;
}

export function useConversation(
  library: string | undefined,
  id: string | undefined,
  onBegun: (id: string) => void,
): ConversationState {
  const queries = useQueryClient();
  const [turns, setTurns] = useState<Turn[]>([]);
  const [loading, setLoading] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const running = useRef<AbortController | null>(null);
  const shown = useRef<string | undefined>(undefined); // the conversation that `turns` are of

  const update = useCallback((changed: (turn: Turn) => Turn) => {
    setTurns((all) => all.map((turn, i) => (i === all.length - 1 ? changed(turn) : turn)));
  }, []);

  const load = useCallback(
    async (wanted: string, signal?: AbortSignal) => {
      const whole = await get<WholeConversation>(
        `/libraries/${library}/conversations/${wanted}`,
        {},
        signal,
      );
      shown.current = wanted;
      setTurns(whole.turns.map((t) => ({ ...kept(t.question, t.n, t.events), rating: t.rating })));
    },
    [library],
  );

  useEffect(() => {
    if (!library || id === shown.current) return;
    running.current?.abort();
    setError(null);
    if (!id) {
      shown.current = undefined;
      setTurns([]);
      return;
    }
    const loader = new AbortController();
    setLoading(true);
    load(id, loader.signal)
      .catch((failed) => {
        if (!loader.signal.aborted) setError(failed);
      })
      .finally(() => {
        if (!loader.signal.aborted) setLoading(false);
      });
    return () => loader.abort();
  }, [library, id, load]);

  useEffect(() => () => running.current?.abort(), []);

  const ask = useCallback(
    async (question: string, options: Options) => {
      if (!library) return;
      running.current?.abort();
      const control = new AbortController();
      running.current = control;
      setError(null);
      setTurns((all) => [...all, begun(question)]);
      let conversation = shown.current;
      try {
        if (!conversation) {
          const made = await begunHere(library, setError);
          if (made) {
            conversation = made.id;
            shown.current = conversation;
            onBegun(conversation);
          }
        }
        const body = {
          query: question,
          library,
          conversation: conversation ?? null,
          scope: options.scope,
          thorough: options.thorough || null,
        };
        for await (const event of post<TurnEvent>("/agentic_search", body, control.signal)) {
          update((turn) => after(turn, event));
        }
        update((turn) => (turn.complete ? turn : { ...turn, state: "broken", status: null }));
      } catch (failed) {
        if (control.signal.aborted) {
          update((turn) => ({ ...turn, state: "stopped", status: null }));
        } else if (failed instanceof OfflineError) {
          update((turn) => ({ ...turn, state: "broken", status: null }));
          queries.invalidateQueries({ queryKey: ["health"] }); // the frame says so at once
          if (conversation) await recovered(library, control.signal);
        } else {
          setError(failed);
          update((turn) => ({ ...turn, state: "broken", status: null }));
        }
      }
      if (running.current === control) running.current = null;
      queries.invalidateQueries({ queryKey: ["conversations"] });
      // What the server kept has numbers, by which a turn can be rated.
      if (conversation && shown.current === conversation && !control.signal.aborted) {
        await load(conversation).catch(() => undefined);
      }
    },
    [library, load, onBegun, queries, update],
  );

  const stop = useCallback(() => running.current?.abort(), []);

  const rate = useCallback(
    (turn: Turn, rating: "up" | "down" | null) => {
      if (!library || !shown.current || turn.n === null) return;
      const path = `/libraries/${library}/conversations/${shown.current}/turns/${turn.n}/feedback`;
      setTurns((all) => all.map((one) => (one.n === turn.n ? { ...one, rating } : one)));
      change("POST", path, { rating }).catch(setError);
    },
    [library],
  );

  return { turns, loading, error, ask, stop, rate };
}

/** A new conversation; without one, because it cannot be kept, the question is answered still. */
async function begunHere(
  library: string,
  tell: (failed: unknown) => void,
): Promise<ConversationItem | null> {
  try {
    return await change<ConversationItem>("POST", `/libraries/${library}/conversations`);
  } catch (failed) {
    if (!(failed instanceof ApiError) || failed.code !== "conversations_not_available")
      throw failed;
    tell(failed);
    return null;
  }
}

/** Waits until the server answers again. */
async function recovered(library: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    try {
      await get(`/libraries/${library}/conversations`, { limit: 1 }, signal);
      return;
    } catch (failed) {
      if (failed instanceof ApiError && failed.status !== 0) return;
    }
  }
}
