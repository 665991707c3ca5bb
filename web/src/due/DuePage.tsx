import { IconCalendarDown } from "@tabler/icons-react";
import { useSearchParams } from "react-router";
import type { DueList, LibraryItem } from "../api/types";
import { useLibraries, useLibrary } from "../app/library";
import { say } from "../language";
import { searchNow } from "../ui/address";
import { Button } from "../ui/Button";
import { dayName } from "../ui/dates";
import { download } from "../ui/download";
import { Empty, Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { DueRow } from "./DueRow";
import styles from "./due.module.css";
import { calendarOf, daysOn, useDue, type When } from "./useDue";

const words = say.due;
const AHEAD = [30, 90, 365, 1095, 3650];
const USUAL = 90;
const LISTS: When[] = ["past", "soon", "later", "unsure"];
const DAYS = "days"; // the part of the address that says how far ahead

/** What is to be paid, cancelled or done, by day, each with where it is said. */
export function DuePage() {
  const libraries = useLibraries();
  const library = useLibrary();
  return (
    <div className={styles.page}>
      {library ? (
        <Due key={library.name} library={library} />
      ) : (
        <>
          <h1>{words.title}</h1>
          {libraries.error ? (
            <Failure error={libraries.error} again={() => libraries.refetch()} />
          ) : (
            <Waiting label={words.waiting} />
          )}
        </>
      )}
    </div>
  );
}

function Due({ library }: { library: LibraryItem }) {
  const [search, setSearch] = useSearchParams();
  const wished = Number(search.get(DAYS));
  const days = AHEAD.includes(wished) ? wished : USUAL;
  const found = useDue(library.name, days);
  const choose = (value: string) => {
    const changed = searchNow();
    changed.set(DAYS, value);
    setSearch(changed, { replace: true });
  };
  const some = (found.data?.due.length ?? 0) > 0;
  return (
    <>
      <div className={styles.head}>
        <h1>{words.title}</h1>
        <label>
          {words.ahead}
          <select value={days} onChange={(event) => choose(event.target.value)}>
            {AHEAD.map((each) => (
              <option key={each} value={each}>
                {words.span(each)}
              </option>
            ))}
          </select>
        </label>
        {some && (
          <Button onClick={() => download(calendarOf(library.name, days))}>
            <IconCalendarDown size={18} stroke={1.75} aria-hidden />
            {words.save}
          </Button>
        )}
      </div>
      {found.error ? (
        <Failure error={found.error} again={() => found.refetch()} />
      ) : !found.data ? (
        <Waiting label={words.waiting} />
      ) : some ? (
        <Lists data={found.data} />
      ) : (
        <Empty title={words.nothing(days)}>
          <p>{words.looked}</p>
        </Empty>
      )}
    </>
  );
}

function Lists({ data }: { data: DueList }) {
  return LISTS.filter((when) => data.counts[when]).map((when) => (
    <section key={when} aria-labelledby={`due-${when}`} className={styles.list}>
      <h2 id={`due-${when}`}>
        {words.lists[when](Math.min(data.days, 30), dayName(daysOn(data.today, data.days)))}
      </h2>
      {when === "unsure" && <p className={styles.note}>{words.unsure}</p>}
      <ol>
        {data.due
          .filter((item) => item.when === when)
          .map((item, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two may say the same at one place
            <DueRow key={at} item={item} past={item.day < data.today} />
          ))}
      </ol>
    </section>
  ));
}
