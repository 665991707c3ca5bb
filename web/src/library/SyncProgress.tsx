import type { SyncState } from "../api/types";
import { SyncBadge } from "../app/SyncBadge";
import styles from "./library.module.css";
import { howFar } from "./words";

/** What a running sync does: the stage with its bar, how fast, how long still, and which file. */
export function SyncProgress({ state }: { state: SyncState }) {
  const progress = state.progress;
  const said = progress ? howFar(progress) : [];
  return (
    <div className={styles.progress}>
      <SyncBadge state={state} />
      <p>
        {said.join(" · ")}
        <span className={styles.current}>{progress?.current}</span>
      </p>
    </div>
  );
}
