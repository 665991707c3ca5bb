import { type Ref, useDeferredValue, useMemo, useState } from "react";
import type { FileItem, FileStatus, LibraryItem } from "../../api/types";
import { Button } from "../../ui/Button";
import shared from "../library.module.css";
import { STATUSES } from "../problems";
import {
  ALL,
  filtered,
  firstOrder,
  type Sorting,
  type SortKey,
  sorted,
  type Wanted,
} from "../rows";
import { count, number } from "../words";
import { FileGrid } from "./FileGrid";
import styles from "./files.module.css";
import { STATUS_NAMES } from "./Status";
import type { Leaving } from "./useLeaving";

const ORDERS: [SortKey, string][] = [
  ["status", "Status"],
  ["name", "Name"],
  ["date", "Date"],
  ["size", "Size"],
];

interface ListProps {
  ref: Ref<HTMLElement>;
  files: FileItem[];
  library: LibraryItem;
  wanted: Wanted;
  setWanted: (wanted: Wanted) => void;
  leaving: Leaving;
}

/** Every file, to look through: by status, by words of the path, by folder. */
export function FileList({ ref, files, library, wanted, setWanted, leaving }: ListProps) {
  const [order, setOrder] = useState<Sorting>(firstOrder("status"));
  const late = useDeferredValue(wanted); // typing does not wait for ten thousand files
  const rows = useMemo(() => sorted(filtered(files, late), order), [files, late, order]);
  const narrowed = wanted.status !== null || wanted.words !== "" || wanted.folder !== "";
  const sortBy = (by: SortKey) =>
    setOrder(order.by === by ? { by, down: !order.down } : firstOrder(by));
  return (
    <section ref={ref} tabIndex={-1} className={styles.list} aria-labelledby="files">
      <div className={shared.sectionHead}>
        <h2 id="files">{wanted.folder || "All files"}</h2>
        <p className={shared.quiet} role="status">
          {narrowed ? `${number(rows.length)} of ${count(files.length, "file")}` : ""}
        </p>
      </div>
      <div className={styles.filters}>
        <label>
          <span className="hidden">Words in the path</span>
          <input
            type="search"
            className={shared.field}
            placeholder="Words in the path"
            value={wanted.words}
            onChange={(event) => setWanted({ ...wanted, words: event.target.value })}
          />
        </label>
        <label>
          <span className="hidden">Status</span>
          <select
            className={shared.field}
            value={wanted.status ?? ""}
            onChange={(event) =>
              setWanted({ ...wanted, status: (event.target.value || null) as FileStatus | null })
            }
          >
            <option value="">Any status</option>
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {STATUS_NAMES[status]}
              </option>
            ))}
          </select>
        </label>
        <label className={styles.order}>
          <span className="hidden">Sorted by</span>
          <select
            className={shared.field}
            value={order.by}
            onChange={(event) => setOrder(firstOrder(event.target.value as SortKey))}
          >
            {ORDERS.map(([by, name]) => (
              <option key={by} value={by}>
                By {name.toLowerCase()}
              </option>
            ))}
          </select>
        </label>
        {narrowed && (
          <Button kind="quiet" onClick={() => setWanted(ALL)}>
            Show all
          </Button>
        )}
      </div>
      {rows.length > 0 ? (
        <FileGrid {...{ rows, order, sortBy, library, leaving }} />
      ) : (
        <p className={styles.none}>No file fits. Take a word away, or show all.</p>
      )}
    </section>
  );
}
