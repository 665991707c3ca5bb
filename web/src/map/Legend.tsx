import { number, say } from "../language";
import { colourOf } from "./colours";
import type { Groups } from "./groups";
import styles from "./map.module.css";

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
    <section className={styles.legend} aria-label={say.map.groupsOfFiles}>
      <h2>{say.map.groups}</h2>
      {list.length === 0 && <p>{say.map.noGroups}</p>}
      <ul className={styles.plain}>
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
                {number(files.length)}
                <span className="hidden"> {say.map.filesUnit}</span>
              </small>
            </button>
          </li>
        ))}
      </ul>
      {rest > 0 && <p>{say.map.smaller(rest)}</p>}
      {alone.length > 0 && (
        <p>
          <Swatch colour={colourOf(-1, dark)} /> {say.map.ungrouped(alone.length)}
        </p>
      )}
    </section>
  );
}

export function Swatch({ colour }: { colour: string }) {
  return <span className={styles.swatch} style={{ background: colour }} aria-hidden />;
}
