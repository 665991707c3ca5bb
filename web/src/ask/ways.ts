// The strategies by which an answer can be made, as the server has them. The choice stands in the
// address: `by=tree`.

import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client";
import type { SettingsList } from "../api/types";

const KEY = "by";

export interface Ways {
  /** The names of all. */
  all: string[];
  /** The one in use where none is chosen. */
  asSet: string;
}

/** The strategies; null while they are not known. */
export function useWays(): Ways | null {
  const { data } = useQuery({
    queryKey: ["settings"],
    queryFn: ({ signal }) => get<SettingsList>("/settings", {}, signal),
    staleTime: 60_000,
    retry: false,
  });
  const setting = data?.settings.find(({ name }) => name === "agent.strategy");
  return setting ? { all: setting.choices ?? [], asSet: String(setting.value) } : null;
}

/** The strategy that an address names; null: as set. One that there is not counts as none. */
export function wayOf(search: URLSearchParams, ways: Ways | null): string | null {
  const named = search.get(KEY);
  return named && (!ways || ways.all.includes(named)) ? named : null;
}

/** The same address, with another strategy. */
export function withWay(search: URLSearchParams, way: string | null): URLSearchParams {
  const changed = new URLSearchParams(search);
  changed.delete(KEY);
  if (way) changed.set(KEY, way);
  return changed;
}
