// What is chosen on the map, and what it shows, in the address: Back leads to what was chosen
// before, and a copied link shows the same.

import { useEffect, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { searchNow } from "../ui/address";
import { EVERY_LINK, type Filter, LEAST_ALIKE, RELATIONS } from "./graph";

const KEYS = { file: "file", group: "group", list: "list", alike: "alike", without: "without" };

export interface Place {
  /** The path of the file or folder chosen. */
  file: string | null;
  /** Of the group chosen, a file: groups have no names that last. */
  group: string | null;
  list: boolean;
  filter: Filter;
}

export function placeIn(search: URLSearchParams): Place {
  const alike = Number(search.get(KEYS.alike)) || LEAST_ALIKE;
  const without = search.getAll(KEYS.without);
  const relations = { ...EVERY_LINK.relations };
  for (const relation of RELATIONS) relations[relation] = !without.includes(relation);
  return {
    file: search.get(KEYS.file),
    group: search.get(KEYS.group),
    list: search.has(KEYS.list),
    filter: { threshold: Math.min(1, Math.max(LEAST_ALIKE, alike)), relations },
  };
}

/** `search` with another place; what is plain is not written. */
export function withPlace(search: URLSearchParams, change: Partial<Place>): URLSearchParams {
  const { file, group, list, filter } = { ...placeIn(search), ...change };
  const changed = new URLSearchParams(search);
  for (const key of Object.values(KEYS)) changed.delete(key);
  if (file) changed.set(KEYS.file, file);
  if (group) changed.set(KEYS.group, group);
  if (list) changed.set(KEYS.list, "");
  if (filter.threshold > LEAST_ALIKE) changed.set(KEYS.alike, String(filter.threshold));
  for (const relation of RELATIONS)
    if (!filter.relations[relation]) changed.append(KEYS.without, relation);
  return changed;
}

/** The place of the address; `go` adds to what Back leads to, `change` does not. */
export function usePlace() {
  const [search, setSearch] = useSearchParams();
  const place = placeIn(search);
  const said = JSON.stringify(place.filter);
  const filter = useMemo((): Filter => JSON.parse(said), [said]); // the same is the same object
  const [wished, wish] = useState(filter); // a switch turns at once, the address follows
  useEffect(() => wish(filter), [filter]);
  const set = (change: Partial<Place>, replace: boolean) => {
    if (change.filter) wish(change.filter);
    setSearch(withPlace(searchNow(), change), { replace });
  };
  return {
    ...place,
    filter: wished,
    go: (change: Partial<Place>) => set(change, false),
    change: (change: Partial<Place>) => set(change, true),
  };
}
