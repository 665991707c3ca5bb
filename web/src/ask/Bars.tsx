import { say } from "../language";
import styles from "./ask.module.css";
import type { Group } from "./turn";

/** Groups beside each other, the largest as long as there is room. */
export function Bars({ groups }: { groups: Group[] }) {
  const most = Math.max(...groups.map(({ value }) => Math.abs(value)), Number.MIN_VALUE);
  return (
    <ul className={styles.bars} aria-label={say.ask.compared}>
      {groups.map(({ name, value, said }) => (
        <li key={name}>
          <span>{name}</span>
          <i aria-hidden style={{ width: `${(100 * Math.abs(value)) / most}%` }} />
          <b>{said}</b>
        </li>
      ))}
    </ul>
  );
}
