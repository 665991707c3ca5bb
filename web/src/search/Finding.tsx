import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import type { LibraryItem } from "../api/types";
import { useSource } from "../source/place";
import { searchNow } from "../ui/address";
import { useRoving } from "../ui/roving";
import { useTyped } from "../ui/typed";
import { Beginning, Nothing } from "./Advice";
import { Field } from "./Field";
import { Filters } from "./Filters";
import { type Query, queryIn, withQuery } from "./query";
import { Results } from "./Results";
import { useFound } from "./useFound";
import { useKeys } from "./useKeys";
import { useReturn } from "./useReturn";

const DEBOUNCE = 120; // ms after the last key
const FEW = 30; // passages at first
const MOST = 200; // what the server gives at most

/** The field, its filters, and what they find. */
export function Finding({ library }: { library: LibraryItem }) {
  const [search, setSearch] = useSearchParams();
  const source = useSource();
  const query = queryIn(search);
  const change = (part: Partial<Query>, state?: unknown) =>
    setSearch(withQuery(searchNow(), part), { replace: true, state });
  const typed = useTyped(query.q, (q, state) => change({ q }, state), DEBOUNCE);

  const asked = JSON.stringify(query);
  const [more, setMore] = useState({ asked, limit: FEW });
  const limit = more.asked === asked ? more.limit : FEW;
  const found = useFound(query, library.name, limit);

  const field = useRef<HTMLInputElement>(null);
  const roving = useRoving<HTMLOListElement>(() => field.current?.focus());
  useEffect(() => {
    // A finger gets no keyboard in its way.
    if (!field.current?.value && matchMedia("(pointer: fine)").matches) field.current?.focus();
  }, []);

  useKeys(field, (at) => {
    if (source.place) source.close();
    else if (at !== field.current) field.current?.focus();
    else if (typed.text) typed.type("");
    else return false;
    return true;
  });

  useReturn(roving.list, field);

  // From the field into the results; where they are still awaited, once they are there.
  const settled =
    typed.text.trim() === query.q && found.data !== undefined && !found.isPlaceholderData;
  const going = useRef(false);
  const { focusFirst } = roving;
  const fieldKeys = (event: KeyboardEvent) => {
    const leads = event.key === "Enter" || event.key === "ArrowDown";
    going.current = leads && !event.nativeEvent.isComposing;
    if (!going.current) return;
    event.preventDefault();
    typed.flush();
    if (settled) focusFirst();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it waits for nothing else
  useEffect(() => {
    if (settled && going.current && document.activeElement === field.current) focusFirst();
    going.current = false;
  }, [settled]);

  const { data } = found;
  const empty = data?.results.length === 0;
  return (
    <>
      <search>
        <Field
          ref={field}
          text={typed.text}
          type={typed.type}
          onKeyDown={fieldKeys}
          busy={found.isFetching}
        />
        <Filters query={query} change={change} library={library.name} />
      </search>
      {!query.q ? (
        <Beginning library={library} />
      ) : (
        <>
          <Results
            found={found}
            query={query}
            library={library.name}
            roving={roving}
            more={limit < MOST ? () => setMore({ asked, limit: MOST }) : null}
          />
          {empty && !found.isPlaceholderData && <Nothing query={query} change={change} />}
        </>
      )}
    </>
  );
}
