import { colourOf } from "./colours";
import type { Groups } from "./communities";
import styles from "./map.module.css";
import { counted, grouped } from "./words";

const MOST = 14;

interface LegendProps {
  groups: Groups;
  dark: boolean;
  chosen: number | null;
  choose: (group: number | null) => void;
}

/** The groups' names with their colours. Pressing one shows where it lies. */
export function Legend({ groups, dark, chosen, choose }: LegendProps) {
  const { list, alone } = groups;
  const rest = list.length - MOST;
  return (
    <section className={styles.legend} aria-label="Groups of files">
      <h2>Groups</h2>
      {list.length === 0 && <p>No two files hang together at this setting.</p>}
      <ul className={styles.groups}>
        {list.slice(0, MOST).map(({ id, name, files }) => (
          <li key={id}>
            <button
              type="button"
              aria-pressed={chosen === id}
              onClick={() => choose(chosen === id ? null : id)}
            >
              <Swatch colour={colourOf(id, dark)} />
              <span>{name}</span>
              <small>
                {grouped(files.length)}
                <span className="hidden"> files</span>
              </small>
            </button>
          </li>
        ))}
      </ul>
      {rest > 0 && <p>and {counted(rest, "smaller group")}, named in the list</p>}
      {alone.length > 0 && (
        <p className={styles.alone}>
          <Swatch colour={colourOf(-1, dark)} /> {counted(alone.length, "file")} in no group
        </p>
      )}
    </section>
  );
}

export function Swatch({ colour }: { colour: string }) {
  return <span className={styles.swatch} style={{ background: colour }} aria-hidden />;
}
