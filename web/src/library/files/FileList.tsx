import { type Ref, useDeferredValue, useMemo, useState } from "react";
import type { FileItem, FileStatus, LibraryItem } from "../../api/types";
import { say } from "../../language";
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
import { FileGrid } from "./FileGrid";
import styles from "./files.module.css";
import { STATUS_NAMES } from "./Status";
import type { Leaving } from "./useLeaving";

const SAID = say.library.list;
const ORDERS: SortKey[] = ["status", "name", "date", "size"];

interface ListProps {
  ref: Ref<HTMLElement>;
  files: FileItem[];
  library: LibraryItem;
  wanted: Wanted;
  setWanted: (wanted: Wanted) => void;
  leaving: Leaving | null;
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
        <h2 id="files">{wanted.folder || SAID.all}</h2>
        <p className={shared.quiet} role="status">
          {narrowed ? SAID.of(rows.length, files.length) : ""}
        </p>
      </div>
      <div className={styles.filters}>
        <label>
          <span className="hidden">{SAID.words}</span>
          <input
            type="search"
            className={shared.field}
            placeholder={SAID.words}
            value={wanted.words}
            onChange={(event) => setWanted({ ...wanted, words: event.target.value })}
          />
        </label>
        <label>
          <span className="hidden">{SAID.status}</span>
          <select
            className={shared.field}
            value={wanted.status ?? ""}
            onChange={(event) =>
              setWanted({ ...wanted, status: (event.target.value || null) as FileStatus | null })
            }
          >
            <option value="">{SAID.anyStatus}</option>
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {STATUS_NAMES[status]}
              </option>
            ))}
          </select>
        </label>
        <label className={styles.order}>
          <span className="hidden">{SAID.sortedBy}</span>
          <select
            className={shared.field}
            value={order.by}
            onChange={(event) => setOrder(firstOrder(event.target.value as SortKey))}
          >
            {ORDERS.map((by) => (
              <option key={by} value={by}>
                {SAID.by[by]}
              </option>
            ))}
          </select>
        </label>
        {narrowed && (
          <Button kind="quiet" onClick={() => setWanted(ALL)}>
            {SAID.showAll}
          </Button>
        )}
      </div>
      {rows.length > 0 ? (
        <FileGrid {...{ rows, order, sortBy, library, leaving }} />
      ) : (
        <p className={styles.none}>{SAID.none}</p>
      )}
    </section>
  );
}
