import { IconChevronDown, IconChevronUp, IconSearch } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { get } from "../api/client";
import { say } from "../language";
import { IconButton } from "../ui/Button";
import type { Place } from "./place";
import styles from "./source.module.css";

const PAUSE_MS = 200; // of typing, before a whole file is looked through

/** Where the words stand, as they stand there. */
interface Found {
  page: number | null;
  line: number;
  column: number;
  quote: string;
}

interface HitsProps {
  library: string;
  place: Place;
  open: (place: Place) => void;
}

/** Finds words in the open file, and goes from one hit to the next. */
export function Hits({ library, place, open }: HitsProps) {
  const [words, setWords] = useState("");
  const [asked, setAsked] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setAsked(words.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [words]);
  const [at, setAt] = useState(0);
  const { data, isPlaceholderData } = useQuery({
    queryKey: ["hits", library, place.file, asked],
    queryFn: ({ signal }) =>
      get<{ places: Found[] }>(
        `/libraries/${library}/find`,
        { path: place.file, words: asked },
        signal,
      ),
    enabled: asked.length > 1,
    placeholderData: keepPreviousData,
  });
  const hits = asked.length > 1 ? (data?.places ?? []) : [];
  const go = (to: number) => {
    if (hits.length === 0) return;
    const index = (to + hits.length) % hits.length;
    const hit = hits[index];
    setAt(index);
    if (hit) {
      open({
        file: place.file,
        page: hit.page,
        line: hit.line,
        lineEnd: hit.line,
        quote: hit.quote,
        column: hit.column,
      });
    }
  };
  // The first one is gone to as soon as it is known, as Ctrl+F does.
  const known = isPlaceholderData ? "" : JSON.stringify(data?.places[0] ?? "");
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when something else is found
  useEffect(() => {
    if (known && asked.length > 1) go(0);
  }, [known]);
  return (
    <search>
      <form
        className={styles.hits}
        onSubmit={(event) => {
          event.preventDefault();
          go(at);
        }}
      >
        <IconSearch size={16} aria-hidden />
        <input
          type="search"
          aria-label={say.source.find}
          placeholder={say.source.find}
          value={words}
          onChange={(event) => {
            setWords(event.target.value);
            setAt(0);
          }}
        />
        <span role="status">
          {asked.length > 1 &&
            (hits.length
              ? say.source.hitOf(at + 1, hits.length)
              : data && !isPlaceholderData && say.source.nothingFound)}
        </span>
        <IconButton
          label={say.source.hitBefore}
          disabled={hits.length === 0}
          onClick={() => go(at - 1)}
        >
          <IconChevronUp size={16} aria-hidden />
        </IconButton>
        <IconButton
          label={say.source.nextHit}
          disabled={hits.length === 0}
          onClick={() => go(at + 1)}
        >
          <IconChevronDown size={16} aria-hidden />
        </IconButton>
      </form>
    </search>
  );
}
