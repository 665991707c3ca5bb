import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link, useSearchParams } from "react-router";
import { get } from "../api/client";
import type { LibraryItem, Timeline as TimelineData } from "../api/types";
import { say } from "../language";
import { searchNow } from "../ui/address";
import { Button } from "../ui/Button";
import { DateField } from "../ui/DateField";
import { Empty, Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { AskLink } from "./AskLink";
import { askingOf } from "./asking";
import { Days } from "./Days";
import { type Query, queryIn, withQuery } from "./query";
import styles from "./search.module.css";
import { joined, rowsOf } from "./timeline";

const words = say.search.timeline;
const AT_ONCE = 1000; // files, as many as the server gives
const MOST = 20_000; // files; a span of days leads to the rest

/** The library's files by their dates, the newest first. */
export function Timeline({ library }: { library: LibraryItem }) {
  const [search, setSearch] = useSearchParams();
  const { since, until } = queryIn(search);
  const change = (part: Partial<Query>) =>
    setSearch(withQuery(searchNow(), part), { replace: true });
  const timeline = useQuery({
    queryKey: ["timeline", library.name, since, until],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => read(library.name, { since, until }, signal),
  });
  const { data } = timeline;
  const rows = useMemo(() => rowsOf(data?.days ?? []), [data]);
  return (
    <>
      <search className={styles.span}>
        <DateField
          className={styles.label}
          label={say.search.filters.from}
          value={since}
          change={(day) => change({ since: day })}
        />
        <DateField
          className={styles.label}
          label={say.search.filters.to}
          value={until}
          change={(day) => change({ until: day })}
        />
        {(since || until) && (
          <>
            <Button kind="quiet" onClick={() => change({ since: "", until: "" })}>
              {words.allDates}
            </Button>
            <AskLink library={library.name} asking={askingOf({ folder: "", since, until })} />
          </>
        )}
      </search>
      {timeline.error ? (
        <Failure error={timeline.error} again={() => timeline.refetch()} />
      ) : !data ? (
        <Waiting label={words.waiting} />
      ) : rows.length === 0 ? (
        <NoDates data={data} narrowed={Boolean(since || until)} />
      ) : (
        <Days rows={rows} said={said(data, rows.filter(({ kind }) => kind === "file").length)} />
      )}
    </>
  );
}

async function read(
  library: string,
  span: { since: string; until: string },
  signal: AbortSignal,
): Promise<TimelineData> {
  const answers: TimelineData[] = [];
  for (let offset = 0; offset < MOST; offset += AT_ONCE) {
    const query = { ...span, limit: AT_ONCE, offset };
    const answer = await get<TimelineData>(`/libraries/${library}/timeline`, query, signal);
    answers.push(answer);
    if (offset + AT_ONCE >= answer.total) break;
  }
  const days = joined(answers.map((answer) => answer.days));
  return { total: 0, undated: 0, ...answers.at(-1), days };
}

/** How many files are shown, and how many cannot be. */
function said({ total, undated }: TimelineData, shown: number): string {
  const newest = shown < total ? words.newest(shown) : "";
  return `${newest}${words.dated(total)}${undated > 0 ? words.undated(undated) : ""}`;
}

function NoDates({ data, narrowed }: { data: TimelineData; narrowed: boolean }) {
  return (
    <Empty title={narrowed ? words.nothing : words.none}>
      {narrowed ? (
        <p>{words.others}</p>
      ) : (
        <p>
          {words.where} {data.undated > 0 && words.silent(data.undated)}{" "}
          <Link to="/library">{words.library}</Link>
        </p>
      )}
    </Empty>
  );
}
