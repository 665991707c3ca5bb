import type { DueItem } from "../api/types";
import { whereOf } from "../ask/where";
import { say } from "../language";
import { SourceLink } from "../search/SourceLink";
import { useSource } from "../source/place";
import { dayName, shortWeekday, weekday } from "../ui/dates";
import styles from "./due.module.css";
import { howOf, whatOf } from "./words";

/** One thing that is due: its day, what it is, and where that is said. */
export function DueRow({ item, past }: { item: DueItem; past?: boolean }) {
  const { place } = useSource();
  const { file, page, line, quote, day, time, kind } = item;
  const how = howOf(item);
  const lead = say.due.kinds[kind];
  return (
    <li className={styles.row} data-past={past || undefined}>
      <time dateTime={time ? `${day}T${time}` : day} className={styles.day}>
        <span aria-hidden>{shortWeekday(day)}</span>
        <span className="hidden">{weekday(day)}, </span>
        <span>{dayName(day)}</span>
        {time && <span className={styles.time}> {time}</span>}
      </time>
      <div className={styles.what}>
        <p>
          {lead && <b>{lead}: </b>}
          {whatOf(item)}
        </p>
        {how && <p className={styles.how}>{how}</p>}
        <SourceLink
          place={{ file, page, line, quote }}
          className={styles.source}
          aria-current={
            (place?.file === file && place.line === line && place.quote === quote) || undefined
          }
        >
          {whereOf(item)}
        </SourceLink>
      </div>
    </li>
  );
}
