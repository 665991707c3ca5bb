import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { flushSync } from "react-dom";
import type { SearchResults } from "../api/types";
import { say } from "../language";
import { Button } from "../ui/Button";
import { Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { itemsOf, type useRoving } from "../ui/roving";
import { AskLink } from "./AskLink";
import { askingOf } from "./asking";
import { FileResult, itemName } from "./FileResult";
import type { Query } from "./query";
import { countOf, grouped, SHOWN, spent } from "./results";
import styles from "./search.module.css";

const said = say.search.results;

interface ResultsProps {
  found: UseQueryResult<SearchResults & { ms: number; full: boolean }>;
  query: Query;
  library: string;
  roving: ReturnType<typeof useRoving<HTMLOListElement>>;
  /** Asks for more of them; null where the server gives no more. */
  more: (() => void) | null;
}

/** The files found, each with its passages: a plain list with one tab stop. */
export function Results({ found, query, library, roving, more }: ResultsProps) {
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const { data } = found;
  if (found.error) return <Failure error={found.error} again={() => found.refetch()} />;
  if (!data) return <Waiting label={said.waiting} />;

  const groups = grouped(data.results);
  const names = groups.map(({ file }) => itemName(file, 0));
  const known = roving.active !== null && isShown(roving.active, groups, unfolded);
  const stop = known ? roving.active : names[0];
  const unfold = (file: string) => {
    flushSync(() => setUnfolded(new Set([...unfolded, file])));
    const first = itemName(file, SHOWN);
    itemsOf(roving.list)
      .find((item) => item.dataset.item === first)
      ?.focus();
  };
  const mark = (file: string, on: boolean) =>
    setMarked(new Set(on ? [...marked, file] : [...marked].filter((other) => other !== file)));
  const files = groups.map(({ file }) => file);
  return (
    <section aria-label={said.title}>
      <div className={styles.count}>
        <p role="status">
          {data.query !== query.q && !found.isPlaceholderData && (
            <strong>{said.putRight(data.query)} </strong>
          )}
          {groups.length > 0 ? countOf(groups, data.full) : ""}
          {data.waiting > 0 && ` ${said.wordsOnly(data.waiting)}`}
        </p>
        {groups.length > 0 && (
          <>
            <AskLink library={library} asking={askingOf(query, files, marked)} />
            <p className={styles.spent}>{spent(data.ms)}</p>
          </>
        )}
      </div>
      <ol
        ref={roving.list}
        className={styles.results}
        aria-busy={found.isFetching}
        {...roving.handlers}
      >
        {groups.map((group) => (
          <FileResult
            key={group.file}
            group={group}
            library={library}
            stop={stop ?? null}
            marked={marked.has(group.file)}
            mark={(on) => mark(group.file, on)}
            folded={!unfolded.has(group.file)}
            unfold={() => unfold(group.file)}
          />
        ))}
      </ol>
      {data.full && more && groups.length > 0 && (
        <div className={styles.more}>
          <Button onClick={more} disabled={found.isFetching}>
            {said.more}
          </Button>
        </div>
      )}
    </section>
  );
}

/** Whether the item that had the focus is still in the list. */
function isShown(
  name: string,
  groups: ReturnType<typeof grouped>,
  unfolded: ReadonlySet<string>,
): boolean {
  return groups.some(({ file, passages }) => {
    const folded = passages.length > SHOWN && !unfolded.has(file);
    const shown = folded ? passages.slice(0, SHOWN) : passages;
    return (
      shown.some((_, n) => itemName(file, n) === name) ||
      (folded && itemName(file, "more") === name)
    );
  });
}
