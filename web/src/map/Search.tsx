import { IconSearch } from "@tabler/icons-react";
import { type KeyboardEvent, type RefObject, useId, useState } from "react";
import type { Finder } from "./find";
import type { Model } from "./graph";
import styles from "./map.module.css";

const MOST = 8;

interface SearchProps {
  model: Model;
  find: Finder;
  field: RefObject<HTMLInputElement | null>;
  preview: (node: number | null) => void;
  go: (node: number) => void;
}

/** Finds a file by its name: the arrow keys choose, Enter goes there. */
export function Search({ model, find, field, preview, go }: SearchProps) {
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const [open, setOpen] = useState(false);
  const id = useId();
  const found = open ? find(query, MOST) : [];
  const typed = query.trim() !== "";

  const turn = (place: number) => {
    setActive(place);
    preview(found[place] ?? null);
  };
  const leave = () => {
    setOpen(false);
    preview(null);
  };
  const choose = (node: number | undefined) => {
    if (node === undefined) return;
    leave();
    setQuery(model.names[node] ?? "");
    go(node);
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
        aria-label="Find a file on the map"
        aria-expanded={open && found.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={open && found.length ? option(active) : undefined}
        placeholder="Find a file"
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
      <div id={id} role="listbox" aria-label="Files found" hidden={!found.length}>
        {found.map((node, place) => (
          <div
            key={node}
            id={option(place)}
            role="option"
            tabIndex={-1}
            aria-selected={place === active}
            onMouseEnter={() => turn(place)}
            onMouseDown={(event) => {
              event.preventDefault(); // the field keeps the focus
              choose(node);
            }}
          >
            <span>{model.names[node]}</span>
            <small>{model.nodes[node]?.id}</small>
          </div>
        ))}
      </div>
      {open && typed && found.length === 0 && (
        <p className={styles.none} role="status">
          No file is called that.
        </p>
      )}
    </div>
  );
}
