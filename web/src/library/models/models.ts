// The models that the server knows, and what fetching them costs.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { change, get } from "../../api/client";
import type { ModelItem, Models } from "../../api/types";

/** The models. They are asked for again and again only while one is being fetched. */
export function useModels() {
  return useQuery({
    queryKey: ["models"],
    queryFn: ({ signal }) => get<Models>("/models", {}, signal),
    refetchInterval: ({ state }) => (state.data?.models.some(isFetching) ? 800 : false),
  });
}

/** Fetch a model, or stop fetching it. */
export function useFetching() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ name, stop = false }: { name: string; stop?: boolean }) =>
      change<ModelItem | undefined>(
        stop ? "DELETE" : "POST",
        `/models/${encodeURIComponent(name)}/fetch`,
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: ["models"] }),
  });
}

/** Have questions answered by this model, from the next one on. */
export function useUsing() {
  return useChange((name: string) => change("PATCH", "/settings", { "model.name": name }));
}

/** Delete a model from this machine. */
export function useRemoving() {
  return useChange((name: string) => change("DELETE", `/models/${encodeURIComponent(name)}`));
}

function useChange(run: (name: string) => Promise<unknown>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ["models"] }),
        queries.invalidateQueries({ queryKey: ["settings"] }),
      ]),
  });
}

export function isFetching(model: ModelItem): boolean {
  return model.fetching !== null;
}

export interface RoleGroup {
  role: ModelItem["role"];
  models: ModelItem[];
}

const ROLES = ["chat", "embed", "rerank", "vision", "voice"] as const;

/** The models by what they do; first the one recommended, those in use, those at hand, then the smaller ones. */
export function byRole(models: readonly ModelItem[]): RoleGroup[] {
  const rank = (model: ModelItem) =>
    model.recommended ? 0 : model.in_use ? 1 : model.present ? 2 : 3;
  return ROLES.map((role) => ({
    role,
    models: models
      .filter((model) => model.role === role)
      .sort((a, b) => rank(a) - rank(b) || a.size - b.size),
  })).filter((group) => group.models.length > 0);
}

/** Whether a model is shown at once: it is here, or comes, or is what this machine should have. */
export function isFirst(model: ModelItem): boolean {
  return model.in_use || model.present || model.recommended || isFetching(model);
}

/** What is wrong with a model on this machine: it has no room, or is known to be slow. */
export function verdict({ outlook }: ModelItem): "small" | "slow" | null {
  if (outlook?.fits === false) return "small";
  return outlook?.quick_enough === false ? "slow" : null;
}

/** What is needed and not at hand: the model in use for search, then the one for answers. */
export function missing(models: readonly ModelItem[]): ModelItem[] {
  return needed(models).filter((model) => !model.present);
}

/** The models in use that indexing and answers need, that for search first. */
export function needed(models: readonly ModelItem[]): ModelItem[] {
  const used = models.filter((model) => model.in_use);
  return (["embed", "chat"] as const).flatMap((role) => used.filter((m) => m.role === role));
}

/** Bytes that are still to be fetched; what a stopped fetch left is not fetched again. */
export function bytesLeft(models: readonly ModelItem[]): number {
  const rest = ({ present, size, partial_bytes, fetching }: ModelItem) => {
    if (present) return 0;
    return fetching ? fetching.total_bytes - fetching.done_bytes : size - partial_bytes;
  };
  return models.reduce((sum, model) => sum + Math.max(rest(model), 0), 0);
}

/** The models in use that lie behind an endpoint: what is asked leaves for there. */
export function elsewhere(models: readonly ModelItem[]): ModelItem[] {
  return models.filter(({ name, in_use }) => in_use && /^(openai|ollama):/.test(name));
}

/** How many bytes were there at a moment (milliseconds). */
export interface Sample {
  at: number;
  done: number;
}

/** Seconds until `total`, as fast as it went since `first`; null while that cannot be told. */
export function secondsLeft(first: Sample, now: Sample, total: number): number | null {
  const seconds = (now.at - first.at) / 1000;
  const gone = now.done - first.done;
  return seconds < 2 || gone <= 0 ? null : ((total - now.done) * seconds) / gone;
}

/** How long fetching a model still takes, measured from when this was first seen. */
export function useTimeLeft({ fetching }: ModelItem): number | null {
  const first = useRef<Sample | null>(null);
  if (!fetching) {
    first.current = null;
    return null;
  }
  const now = { at: Date.now(), done: fetching.done_bytes };
  first.current ??= now;
  return secondsLeft(first.current, now, fetching.total_bytes);
}
