import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { FileItem, LibraryItem } from "../../api/types";
import { say } from "../../language";
import { useSource } from "../../source/place";
import { Failure } from "../../ui/Notice";
import { keyOf, type Sorting, type SortKey } from "../rows";
import { useReread } from "../sync";
import { FileRow } from "./FileRow";
import styles from "./files.module.css";
import { RowMenu } from "./RowMenu";
import type { Leaving } from "./useLeaving";
import { useRows } from "./useRows";

const { columns: SAID, label: FILES } = say.library.list;
const COLUMNS: [SortKey | null, string][] = [
  ["name", SAID.name],
  ["status", SAID.status],
  [null, SAID.pages],
  ["size", SAID.size],
  ["date", SAID.date],
];

interface GridProps {
  rows: FileItem[];
  order: Sorting;
  sortBy: (by: SortKey) => void;
  library: LibraryItem;
  leaving: Leaving | null;
}

/** The files as rows, of which only those in sight are drawn. Arrow keys go from row to row. */
export function FileGrid({ rows, order, sortBy, library, leaving }: GridProps) {
  const source = useSource();
  const reread = useReread(library.name);
  const [menu, setMenu] = useState<{ file: FileItem; anchor: HTMLElement } | null>(null);
  const { list, virtual, active, keys, focused } = useRows(rows);
  const open = useRef(source.open);
  useLayoutEffect(() => {
    open.current = source.open;
  });
  const shown = source.place?.file ?? null;
  useEffect(() => {
    // The list is narrower beside a source: the row that opened it stays in sight.
    if (shown)
      list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "center" });
  }, [shown, list]);
  const acts = useMemo(
    () => ({
      open: ({ file }: FileItem) => open.current({ file }),
      more: (file: FileItem, anchor: HTMLElement) => setMenu({ file, anchor }),
    }),
    [],
  );
  return (
    <>
      {reread.error && <Failure error={reread.error} />}
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the arrow keys go through it */}
      <table role="grid" aria-label={FILES} aria-rowcount={rows.length + 1} className={styles.grid}>
        <thead className={styles.gridHead}>
          <tr aria-rowindex={1} className={styles.columnsRow}>
            {COLUMNS.map(([by, name]) => (
              <Heading key={name} {...{ by, name, order, sortBy }} />
            ))}
            <th scope="col">
              <span className="hidden">{SAID.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody
          ref={list}
          className={styles.rows}
          style={{ height: virtual.getTotalSize() }}
          onKeyDown={keys}
          onFocus={focused}
        >
          {virtual.getVirtualItems().map(({ index, start }) => {
            const file = rows[index];
            return (
              file && (
                <FileRow
                  key={keyOf(file)}
                  ref={virtual.measureElement}
                  file={file}
                  index={index}
                  top={start - virtual.options.scrollMargin}
                  active={index === active.row ? active.column : null}
                  shown={shown === file.file}
                  acts={acts}
                />
              )
            );
          })}
        </tbody>
      </table>
      {menu && (
        <RowMenu
          anchor={menu.anchor}
          file={menu.file}
          library={library.name}
          leaving={leaving}
          open={() => acts.open(menu.file)}
          reread={() => reread.mutate(menu.file.file)}
          close={() => setMenu(null)}
        />
      )}
    </>
  );
}

function Heading(props: {
  by: SortKey | null;
  name: string;
  order: Sorting;
  sortBy: (by: SortKey) => void;
}) {
  const { by, name, order, sortBy } = props;
  if (!by) {
    return <th scope="col">{name}</th>;
  }
  const sorted = order.by === by;
  const Arrow = order.down ? IconArrowDown : IconArrowUp;
  return (
    <th scope="col" aria-sort={sorted ? (order.down ? "descending" : "ascending") : "none"}>
      <button type="button" onClick={() => sortBy(by)}>
        {name}
        {sorted && <Arrow size={15} stroke={2} aria-hidden />}
      </button>
    </th>
  );
}
