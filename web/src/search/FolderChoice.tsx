import { autoUpdate, flip, offset, size, useFloating } from "@floating-ui/react";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { number, say } from "../language";
import { moved } from "../ui/roving";
import { matching, useFolders } from "./folders";
import styles from "./search.module.css";

const said = say.search.filters;
const SHOWN = 200; // of a library with very many folders; typing narrows them

/** A folder of the library, typed or picked (the "combobox" of the ARIA practices). */
export function FolderChoice(props: {
  library: string;
  value: string;
  choose: (folder: string) => void;
}) {
  const { library, value, choose } = props;
  const [text, setText] = useState(value);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const [wanted, setWanted] = useState(false);
  const id = useId();
  const folders = useFolders(library, wanted);
  useEffect(() => setText(value), [value]);

  // What is chosen already narrows nothing: then all of them are offered.
  const fitting = matching(folders.data ?? [], text === value ? "" : text).slice(0, SHOWN);
  const { refs, floatingStyles } = useFloating({
    open,
    placement: "bottom-start",
    whileElementsMounted: autoUpdate,
    middleware: [
      offset(4),
      flip({ padding: 8 }),
      size({
        padding: 8,
        apply: ({ availableHeight, rects, elements }) => {
          elements.floating.style.maxHeight = `${Math.min(availableHeight, 360)}px`;
          elements.floating.style.minWidth = `${rects.reference.width}px`;
        },
      }),
    ],
  });

  const show = () => {
    setWanted(true);
    setOpen(true);
    setActive(-1);
  };
  const take = (folder: string) => {
    setText(folder);
    setOpen(false);
    if (folder !== value) choose(folder);
  };
  const leave = () => {
    const typed = text.trim().replace(/^\/+|\/+$/g, "");
    const same = folders.data?.find(({ path }) => path.toLowerCase() === typed.toLowerCase());
    take(typed === "" ? "" : (same?.path ?? value));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") {
      event.preventDefault();
      take(fitting[active]?.path ?? text.trim().replace(/^\/+|\/+$/g, ""));
    } else if (event.key === "Escape" && (open || text !== value)) {
      event.preventDefault();
      setOpen(false);
      setText(value);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!open) return show();
      const next = moved(event.key, active, fitting.length) ?? -1;
      setActive(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: "nearest" });
    }
  };
  return (
    <div className={styles.label}>
      <label htmlFor={`${id}-field`}>{said.folder}</label>
      <input
        ref={refs.setReference}
        id={`${id}-field`}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={open && fitting.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={open && active >= 0 ? `${id}-${active}` : undefined}
        placeholder={said.anyFolder}
        autoComplete="off"
        spellCheck={false}
        maxLength={1000}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          show();
        }}
        onFocus={() => setWanted(true)}
        onClick={show}
        onBlur={leave}
        onKeyDown={onKeyDown}
      />
      <div
        ref={refs.setFloating}
        className={styles.folders}
        style={floatingStyles}
        hidden={!open || !folders.data}
      >
        <div role="listbox" id={`${id}-list`} aria-label={said.folders}>
          {fitting.map(({ path, files }, n) => (
            <div
              key={path}
              id={`${id}-${n}`}
              role="option"
              tabIndex={-1}
              aria-selected={n === active}
              onMouseDown={(event) => event.preventDefault()} // the field keeps the focus
              onClick={() => take(path)}
              onKeyDown={undefined}
            >
              <span>{path}</span>
              <small>{number(files)}</small>
            </div>
          ))}
        </div>
        {folders.data && fitting.length === 0 && <p>{said.noFolder}</p>}
      </div>
    </div>
  );
}
