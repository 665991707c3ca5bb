import { IconSearch } from "@tabler/icons-react";
import { type KeyboardEvent, type RefObject, useId, useMemo, useState } from "react";
import { say } from "../language";
import { finderOf } from "./find";
import type { FileGraph } from "./graph";
import styles from "./map.module.css";

const MOST = 8;

interface SearchProps {
  graph: FileGraph;
  field: RefObject<HTMLInputElement | null>;
  point: (path: string | null) => void;
  go: (path: string) => void;
}

/** Finds a file by its name: the arrow keys choose, Enter goes there. */
export function Search({ graph, field, point, go }: SearchProps) {
  const find = useMemo(() => finderOf(graph), [graph]);
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const [open, setOpen] = useState(false);
  const id = useId();
  const found = open ? find(query, MOST) : [];
  const typed = query.trim() !== "";

  const turn = (place: number) => {
    setActive(place);
    point(found[place] ?? null);
  };
  const leave = () => {
    setOpen(false);
    point(null);
  };
  const choose = (path: string | undefined) => {
    if (path === undefined) return;
    leave();
    setQuery(graph.getNodeAttribute(path, "label"));
    go(path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step && typed) {
      event.preventDefault();
      if (!open) setOpen(true);
      else if (found.length) turn((active + step + found.length) % found.length);
    } else if (event.key === "Enter") choose((open ? found : find(query, MOST))[active]);
    else if (event.key === "Escape" && (open || query)) {
      event.preventDefault(); // the frame would close the source, too
      if (!open) setQuery("");
      leave();
    }
  };
  const option = (place: number) => `${id}-${place}`;
  return (
    <div className={styles.search}>
      <IconSearch size={17} stroke={1.75} aria-hidden />
      <input
        ref={field}
        role="combobox"
        aria-label={say.map.findOnMap}
        aria-expanded={open && found.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={open && found.length ? option(active) : undefined}
        placeholder={say.map.find}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setActive(0);
          setOpen(true);
        }}
        onFocus={(event) => event.target.select()}
        onBlur={leave}
        onKeyDown={onKeyDown}
      />
      <div id={id} role="listbox" aria-label={say.map.found} hidden={!found.length}>
        {found.map((path, place) => (
          <div
            key={path}
            id={option(place)}
            role="option"
            tabIndex={-1}
            aria-selected={place === active}
            onMouseEnter={() => turn(place)}
            onMouseDown={(event) => {
              event.preventDefault(); // the field keeps the focus
              choose(path);
            }}
          >
            <span>{graph.getNodeAttribute(path, "label")}</span>
            <small>{path}</small>
          </div>
        ))}
      </div>
      {open && typed && found.length === 0 && <p role="status">{say.map.noneFound}</p>}
    </div>
  );
}
