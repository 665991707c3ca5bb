import {
  type ChangeEvent,
  type FocusEvent,
  type KeyboardEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import type { LibraryItem } from "../api/types";
import { LibraryChoice } from "../app/LibraryChoice";
import { useLibraries } from "../app/library";
import { say } from "../language";
import { usePlaces } from "../search/folders";
import { DateField } from "../ui/DateField";
import styles from "./ask.module.css";
import type { Scope } from "./scope";

const SHOWN = 300; // of a large library; typing narrows them
const words = say.ask.scope;

interface ChoosingProps {
  library: LibraryItem;
  scope: Scope;
  choose: (change: (scope: Scope) => Scope) => void;
  close: () => void;
}

/** A folder or file by its name, and the days of a period. */
export default function Choosing({ library, scope, choose, close }: ChoosingProps) {
  const [text, setText] = useState("");
  const [entered, setEntered] = useState(false); // maybe before the places are known
  const [days, setDays] = useState({ from: scope.from, to: scope.to });
  const field = useRef<HTMLInputElement>(null);
  const list = useId();
  const places = usePlaces(library.name, true);
  const libraries = useLibraries().data ?? [];
  useEffect(() => field.current?.focus(), []);
  const fitting = (places.data ?? []).filter((path) =>
    path.toLowerCase().includes(text.toLowerCase()),
  );
  const named = entered && text && (fitting.find((path) => path === text) ?? fitting[0]);
  const taken = named || null;
  useEffect(() => {
    if (!taken) return;
    choose((now) => ({ ...now, paths: [...new Set([...now.paths, taken])] }));
    close();
  }, [taken, choose, close]);
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
  const date = (end: "from" | "to", day: string) => {
    const wanted = { ...days, [end]: day || null };
    setDays(wanted);
    if (!isReversed(wanted)) choose((now) => ({ ...now, ...wanted }));
  };
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
          setEntered(isPick(event) && (places.data ?? []).includes(event.target.value));
        }}
      />
      <datalist id={list}>
        {fitting.slice(0, SHOWN).map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      <span className={styles.days}>
        <DateField label={words.from} value={days.from ?? ""} change={(day) => date("from", day)} />
        <DateField label={words.to} value={days.to ?? ""} change={(day) => date("to", day)} />
      </span>
      {isReversed(days) && <p role="status">{say.search.filters.wrongWay}</p>}
    </div>
  );
}

function isReversed({ from, to }: Pick<Scope, "from" | "to">): boolean {
  return from !== null && to !== null && from > to;
}

/** Whether the text came whole out of the list, and not key by key. */
function isPick({ nativeEvent }: ChangeEvent): boolean {
  const how = nativeEvent instanceof InputEvent ? nativeEvent.inputType : "";
  return how === "" || how === "insertReplacementText";
}
