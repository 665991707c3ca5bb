import { IconAdjustmentsHorizontal, IconList, IconTopologyStar3 } from "@tabler/icons-react";
import { type ReactNode, type RefObject, useId, useState } from "react";
import { say } from "../language";
import { Button } from "../ui/Button";
import { type FileGraph, filesOf } from "./graph";
import styles from "./map.module.css";
import { Search } from "./Search";

interface HeadProps {
  graph: FileGraph;
  links: number;
  search: RefObject<HTMLInputElement | null>;
  point: (path: string | null) => void;
  go: (path: string) => void;
  /** Whether the list is shown, not the map. */
  list: boolean;
  /** Null: there is only one. */
  turn: ((list: boolean) => void) | null;
  /** The filters. */
  children: ReactNode;
}

/** Above the map: what it shows, the search, the views; and beside it, the filters. */
export function Head({ graph, links, search, point, go, list, turn, children }: HeadProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const Icon = list ? IconTopologyStar3 : IconList;
  return (
    <>
      <header className={styles.head}>
        <div>
          <h1>{say.map.title}</h1>
          <p role="status">{say.map.counts(filesOf(graph).length, links)}</p>
        </div>
        <Search graph={graph} field={search} point={point} go={go} />
        {turn && (
          <Button onClick={() => turn(!list)}>
            <Icon size={17} stroke={1.75} aria-hidden /> {list ? say.map.map : say.map.list}
          </Button>
        )}
        <div className={styles.more}>
          <Button aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
            <IconAdjustmentsHorizontal size={17} stroke={1.75} aria-hidden /> {say.map.filters}
          </Button>
        </div>
      </header>
      <div id={id} className={styles.side} data-open={open || undefined}>
        {children}
      </div>
    </>
  );
}
