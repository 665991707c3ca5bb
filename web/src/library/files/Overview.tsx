import type { FileStatus, LibraryStatus } from "../../api/types";
import { number, say } from "../../language";
import styles from "./files.module.css";
import { StatusIcon } from "./Status";

const SHOWN: FileStatus[] = ["indexed", "partial", "skipped", "failed"];

interface OverviewProps {
  counts: LibraryStatus["counts"];
  passages: number;
  chosen: FileStatus | null;
  choose: (status: FileStatus | null) => void;
}

/** How many files there are of each status, drawn and told; each count shows its files. */
export function Overview({ counts, passages, chosen, choose }: OverviewProps) {
  const total = SHOWN.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
  return (
    <section aria-labelledby="overview" className={styles.overview}>
      <h2 id="overview">
        {say.library.files(total)} <small>{say.library.inPassages(passages)}</small>
      </h2>
      <div className={styles.bar} aria-hidden>
        {SHOWN.map((status) => (
          <i key={status} data-status={status} style={{ flexGrow: counts[status] ?? 0 }} />
        ))}
      </div>
      <ul className={styles.counts}>
        {SHOWN.map((status) => (
          <li key={status}>
            <button
              type="button"
              aria-pressed={chosen === status}
              disabled={!counts[status]}
              onClick={() => choose(chosen === status ? null : status)}
            >
              <StatusIcon status={status} />
              <strong>{number(counts[status] ?? 0)}</strong> {say.library.statusCount[status]}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
