import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { get } from "../api/client";
import type { SheetView, View } from "../api/types";
import { say } from "../language";
import { Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { type Place, placed } from "./place";
import { SheetTable } from "./SheetTable";
import styles from "./sheet.module.css";
import source from "./source.module.css";
import { TextView } from "./TextView";

interface SheetProps {
  view: View;
  place: Place;
  library: string;
  turnTo: (page: number) => void;
}

/** A workbook's sheet, or a file of rows, as the tables in it; text, where there are none. */
export default function SheetTables({ view, place, library, turnTo }: SheetProps) {
  const scroller = useRef<HTMLElement>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ["sheet", library, place],
    queryFn: ({ signal }) =>
      get<SheetView>(
        `/libraries/${library}/sheet`,
        { ...placed(place), path: view.file, page: place.page },
        signal,
      ),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <section
        ref={scroller}
        className={styles.scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is focusable
        tabIndex={0}
        aria-label={say.source.content}
      >
        {error && <Failure error={error} again={() => refetch()} />}
        {!data && !error && <Waiting label={say.source.opening} />}
        {data?.tables.map((table, at) => (
          <SheetTable
            key={`${data.page} ${table.line}`}
            sheet={data}
            at={at}
            label={table.title ?? view.label ?? view.file}
            scroller={scroller}
          />
        ))}
        {data?.more && <p className={source.cut}>{say.source.rowsLeftOut}</p>}
        {data?.tables.length === 0 && <TextView view={view} plain turnTo={turnTo} />}
      </section>
      {data && data.sheets.length > 1 && (
        <nav className={styles.tabs} aria-label={say.source.sheets}>
          {data.sheets.map((name, at) => (
            <button
              // biome-ignore lint/suspicious/noArrayIndexKey: a sheet is its place
              key={at}
              type="button"
              dir="auto"
              aria-current={data.page === at + 1 ? "page" : undefined}
              onClick={() => turnTo(at + 1)}
            >
              {name ?? say.source.sheet(at + 1)}
            </button>
          ))}
        </nav>
      )}
    </>
  );
}
