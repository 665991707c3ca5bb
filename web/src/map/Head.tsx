import { IconAdjustmentsHorizontal, IconList, IconTopologyStar3 } from "@tabler/icons-react";
import { type ReactNode, type RefObject, useId, useState } from "react";
import { Button } from "../ui/Button";
import type { Finder } from "./find";
import type { Model } from "./graph";
import styles from "./map.module.css";
import { Search } from "./Search";
import { counted } from "./words";

export type View = "map" | "list";

interface HeadProps {
  model: Model;
  links: number;
  find: Finder;
  search: RefObject<HTMLInputElement | null>;
  preview: (node: number | null) => void;
  go: (node: number) => void;
  view: View;
  /** Null: there is only one. */
  turn: ((view: View) => void) | null;
  side: ReactNode;
}

/** Above the map: what it shows, the search, the views; and beside it, the filters. */
export function Head({ model, links, view, turn, side, search, ...finding }: HeadProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <header className={styles.head}>
        <div className={styles.title}>
          <h1>Map of files</h1>
          <p role="status">
            {counted(model.files, "file")}, {counted(links, "link")}
          </p>
        </div>
        <Search model={model} field={search} {...finding} />
        {turn && (
          <fieldset className={styles.views}>
            <legend className="hidden">Show as</legend>
            <Button aria-pressed={view === "map"} onClick={() => turn("map")}>
              <IconTopologyStar3 size={17} stroke={1.75} aria-hidden /> Map
            </Button>
            <Button aria-pressed={view === "list"} onClick={() => turn("list")}>
              <IconList size={17} stroke={1.75} aria-hidden /> List
            </Button>
          </fieldset>
        )}
        <div className={styles.more}>
          <Button aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
            <IconAdjustmentsHorizontal size={17} stroke={1.75} aria-hidden /> Filters
          </Button>
        </div>
      </header>
      <div id={id} className={styles.side} data-open={open || undefined}>
        {side}
      </div>
    </>
  );
}
