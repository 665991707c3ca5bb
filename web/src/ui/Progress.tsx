import { say } from "../language";
import styles from "./ui.module.css";

/** A bar with its label; without a total it only says that something goes on. */
export function Progress(props: { label: string; done: number; total: number | null }) {
  const { label, done, total } = props;
  const share = total ? Math.min(done / total, 1) : null;
  return (
    <div className={styles.progress}>
      <span>
        {label}
        {share !== null && <small> {say.ui.percent(Math.round(100 * share))}</small>}
      </span>
      <progress aria-label={label} max={1} {...(share === null ? {} : { value: share })} />
    </div>
  );
}

/** Three dots that move while something is awaited. */
export function Waiting({ label }: { label: string }) {
  return (
    <span className={styles.waiting} role="status">
      <span className="hidden">{label}</span>
      <i aria-hidden />
      <i aria-hidden />
      <i aria-hidden />
    </span>
  );
}
