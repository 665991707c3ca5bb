import { Link } from "react-router";
import type { DueItem, LibraryItem } from "../api/types";
import { whereOf } from "../ask/where";
import { say } from "../language";
import { SourceLink } from "../search/SourceLink";
import { shortDay } from "../ui/dates";
import { fileName } from "../ui/files";
import styles from "./due.module.css";
import { today, useDue } from "./useDue";
import { whatOf } from "./words";

const SOON = 30;
const MOST = 5; // lines
const PAST = 2; // of them at most, where there is something to come
const LARGEST = 2_000; // files of a library whose texts are read before anybody asks what is due

/** What is due soon, in a few lines; nothing where there is none. */
export function DueShort({ library }: { library: LibraryItem }) {
  const { data } = useDue(library.name, SOON, library.files <= LARGEST);
  const day = today();
  const shown = few(data?.due ?? [], day);
  if (shown.length === 0) return null;
  return (
    <section className={styles.short} aria-labelledby="due-soon">
      <h3 id="due-soon">{say.due.soon}</h3>
      <ol>
        {shown.map((item, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two may say the same at one place
          <Line key={at} item={item} past={item.day < day} />
        ))}
      </ol>
      <Link to="/due">{say.due.all}</Link>
    </section>
  );
}

/** A line that opens what says so. */
function Line({ item, past }: { item: DueItem; past: boolean }) {
  const { file, page, line, quote, day, time, kind } = item;
  const lead = say.due.kinds[kind];
  return (
    <li data-past={past || undefined}>
      <SourceLink place={{ file, page, line, quote }} title={whereOf(item)}>
        <time dateTime={time ? `${day}T${time}` : day}>
          {shortDay(day)} {time}
        </time>
        <span>
          {lead && <b>{lead}: </b>}
          {whatOf(item)}
        </span>
        <small>{fileName(file)}</small>
      </SourceLink>
    </li>
  );
}

function few(due: DueItem[], day: string): DueItem[] {
  const past = due.filter((item) => item.day < day && item.sure);
  const next = due.filter((item) => item.day >= day);
  const late = past.slice(-Math.max(PAST, MOST - next.length));
  return [...late, ...next.slice(0, MOST - late.length)];
}
