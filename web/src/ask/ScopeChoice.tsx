import { IconCalendar, IconFolders, IconPlus, IconX } from "@tabler/icons-react";
import { type FocusEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { LibraryItem } from "../api/types";
import { folderName, LibraryChoice } from "../app/LibraryChoice";
import { ALL, useLibraries } from "../app/library";
import { say } from "../language";
import { usePlaces } from "../search/folders";
import { Button, IconButton } from "../ui/Button";
import { dayName, isDay } from "../ui/dates";
import styles from "./ask.module.css";
import type { Scope } from "./scope";

const SHOWN = 300; // of a large library; typing narrows them
const words = say.ask.scope;

interface ScopeProps {
  library: LibraryItem;
  scope: Scope;
  choose: (scope: Scope) => void;
  /** The choice is over: the question can be written. */
  done: () => void;
}

/** What is asked: the whole library, or folders, files and a period of it, each as a chip. */
export function ScopeChoice({ library, scope, choose, done }: ScopeProps) {
  const [open, setOpen] = useState(false);
  const period = inWords(scope);
  const whole = scope.paths.length === 0 && !period;
  const close = () => {
    setOpen(false);
    done();
  };
  return (
    <div className={styles.scope}>
      {!whole && <span>{words.only}</span>}
      {scope.paths.map((path) => (
        <Chip
          key={path}
          name={path}
          remove={() => choose({ ...scope, paths: scope.paths.filter((one) => one !== path) })}
        />
      ))}
      {period && (
        <Chip name={period} remove={() => choose({ ...scope, from: null, to: null })} dated />
      )}
      {open ? (
        <Choosing library={library} scope={scope} choose={choose} close={close} />
      ) : (
        <Button kind="quiet" onClick={() => setOpen(true)} title={words.choose}>
          {whole ? <IconFolders size={16} aria-hidden /> : <IconPlus size={16} aria-hidden />}
          <span>
            {whole
              ? library.name === ALL
                ? say.app.allLibraries
                : words.allOf(folderName(library))
              : words.add}
          </span>
        </Button>
      )}
    </div>
  );
}

function Chip({ name, remove, dated }: { name: string; remove: () => void; dated?: boolean }) {
  return (
    <span className={styles.chip}>
      {dated && <IconCalendar size={14} aria-hidden />}
      <strong title={name}>{name}</strong>
      <IconButton label={words.remove(name)} onClick={remove}>
        <IconX size={14} aria-hidden />
      </IconButton>
    </span>
  );
}

/** A folder or file by its name, and the days of a period. */
function Choosing({
  library,
  scope,
  choose,
  close,
}: Omit<ScopeProps, "done"> & { close: () => void }) {
  const [text, setText] = useState("");
  const [entered, setEntered] = useState(false); // maybe before the places are known
  const field = useRef<HTMLInputElement>(null);
  const list = useId();
  const places = usePlaces(library.name, true);
  const libraries = useLibraries().data ?? [];
  useEffect(() => field.current?.focus(), []);
  const fitting = (places.data ?? []).filter((path) =>
    path.toLowerCase().includes(text.toLowerCase()),
  );
  const taken = (places.data?.includes(text) ? text : entered && text && fitting[0]) || null;
  useEffect(() => {
    if (!taken) return;
    choose({ ...scope, paths: [...new Set([...scope.paths, taken])] });
    close();
  }, [taken, scope, choose, close]);
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter" && text) setEntered(true);
    else close();
  };
  const onBlur = (event: FocusEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget) && document.hasFocus()) close();
  };
  const day = (end: "from" | "to") => (
    <input
      type="date"
      aria-label={end === "from" ? words.from : words.to}
      value={scope[end] ?? ""}
      onChange={({ target }) =>
        (target.value === "" || isDay(target.value)) &&
        choose({ ...scope, [end]: target.value || null })
      }
    />
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape and Enter of the fields in it
    <div className={styles.choosing} onKeyDown={onKey} onBlur={onBlur}>
      {libraries.length > 1 && (
        <LibraryChoice libraries={libraries} chosen={library} className={styles.within} />
      )}
      <input
        ref={field}
        list={list}
        aria-label={words.place}
        placeholder={words.placeholder}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setEntered(false);
        }}
      />
      <datalist id={list}>
        {fitting.slice(0, SHOWN).map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      <span>
        {words.from} {day("from")} {words.to} {day("to")}
      </span>
    </div>
  );
}

function inWords({ from, to }: Scope): string | null {
  if (from && to) return words.period(dayName(from), dayName(to));
  if (from) return words.since(dayName(from));
  return to ? words.until(dayName(to)) : null;
}
