import { memo, useEffect } from "react";
import { number, say } from "../language";
import { monthName, monthWord } from "../ui/dates";
import { useRoving } from "../ui/roving";
import { lengthOf, type Month, type Year } from "./timeline";
import styles from "./timeline.module.css";

interface YearsProps {
  years: Year[];
  /** The month in sight. */
  month: string | null;
  go: (row: number) => void;
}

/** How many files each year and month holds; each leads there. A select where room is little. */
export const Years = memo(function Years({ years, month, go }: YearsProps) {
  const roving = useRoving<HTMLElement>();
  const stop = roving.active ?? month;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is what it was
  useEffect(() => {
    const side = roving.list.current;
    const now = side?.querySelector<HTMLElement>("[aria-current]");
    if (!side || !now) return;
    const { top, bottom } = now.getBoundingClientRect();
    const around = side.getBoundingClientRect();
    if (top < around.top) side.scrollTop -= around.top - top + 24;
    else if (bottom > around.bottom) side.scrollTop += bottom - around.bottom + 24;
  }, [month]);

  return (
    <>
      <nav
        aria-label={say.search.timeline.years}
        className={styles.years}
        ref={roving.list}
        {...roving.handlers}
      >
        {years.map((year) => (
          <ul key={year.year} className={styles.yearList}>
            <li className={styles.year}>
              <Leap
                name={year.year}
                label={year.year}
                files={year.files}
                length={lengthOf(year.files, years)}
                stop={stop === year.year}
                go={() => go(year.months[0]?.row ?? 0)}
              />
            </li>
            {year.months.map((each) => (
              <li key={each.month}>
                <Leap
                  name={each.month}
                  label={monthWord(each.month)}
                  files={each.files}
                  length={lengthOf(each.files, years)}
                  stop={stop === each.month}
                  current={each.month === month}
                  go={() => go(each.row)}
                />
              </li>
            ))}
          </ul>
        ))}
      </nav>
      <Picking years={years} month={month} go={go} />
    </>
  );
});

interface LeapProps {
  name: string;
  label: string;
  files: number;
  /** How long the bar is, of 1. */
  length: number;
  stop: boolean;
  current?: boolean;
  go: () => void;
}

function Leap({ name, label, files, length, stop, current, go }: LeapProps) {
  return (
    <button
      type="button"
      data-item={name}
      tabIndex={stop ? 0 : -1}
      aria-current={current || undefined}
      onClick={go}
    >
      <span>{label}</span>
      <i style={{ inlineSize: `${100 * length}%` }} aria-hidden />
      <small aria-hidden>{number(files)}</small>
      <span className="hidden">{`, ${say.search.files(files)}`}</span>
    </button>
  );
}

function Picking({ years, month, go }: YearsProps) {
  const all = new Map<string, Month>(
    years.flatMap((year) => year.months.map((each) => [each.month, each])),
  );
  return (
    <label className={styles.picking}>
      {say.search.timeline.goTo}
      <select value={month ?? ""} onChange={(event) => go(all.get(event.target.value)?.row ?? 0)}>
        {years.map((year) => (
          <optgroup key={year.year} label={`${year.year} (${number(year.files)})`}>
            {year.months.map((each) => (
              <option key={each.month} value={each.month}>
                {monthName(each.month)} ({number(each.files)})
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}
