import { IconMessageCircle } from "@tabler/icons-react";
import { Link } from "react-router";
import type { FoundPassage } from "../api/types";
import { askAbout } from "../ask/scope";
import { say } from "../language";
import { useSource } from "../source/place";
import { fileName, folderOf, kindOf } from "../ui/files";
import { Marked } from "../ui/Marked";
import { alsoOf, dateOf, type Group, placeOf, SHOWN, spotOf } from "./results";
import { SourceLink } from "./SourceLink";
import styles from "./search.module.css";
import { Thumbnail } from "./Thumbnail";

/** What the list knows an item by. */
export function itemName(file: string, part: number | "more"): string {
  return `${part} ${file}`;
}

/** Whether an item is of this file. */
export function isOf(item: string | null, file: string): boolean {
  return item !== null && item.slice(item.indexOf(" ") + 1) === file;
}

interface FileResultProps {
  group: Group;
  library: string;
  /** The item that Tab leads to. */
  stop: string | null;
  marked: boolean;
  mark: (on: boolean) => void;
  folded: boolean;
  unfold: () => void;
}

/** A file that was found, and its passages. */
export function FileResult(props: FileResultProps) {
  const { group, library, stop, folded } = props;
  const { file, passages } = group;
  const [first] = passages;
  const few = folded ? passages.slice(0, SHOWN) : passages;
  const name = fileName(file);
  const folder = folderOf(file);
  const titled = first.title && first.title !== name;
  const title = first.title || name;
  const more = itemName(file, "more");
  const reach = isOf(stop, file) ? 0 : -1; // Tab leads to what can be done with one file only
  return (
    <li className={styles.result}>
      <label className={styles.mark}>
        <input
          type="checkbox"
          aria-label={say.search.results.mark(title)}
          tabIndex={reach}
          checked={props.marked}
          onChange={(event) => props.mark(event.target.checked)}
        />
      </label>
      {/* The picture and the title lead where the first passage leads: no stops of their own. */}
      <SourceLink
        place={placeOf(first)}
        tabIndex={-1}
        aria-hidden="true"
        className={styles.picture}
      >
        <Thumbnail
          library={library}
          file={file}
          page={first.page}
          format={first.format}
          key={first.page}
        />
      </SourceLink>
      <div className={styles.about}>
        <h2>
          <SourceLink place={placeOf(first)} tabIndex={-1}>
            {title}
          </SourceLink>
        </h2>
        <p className={styles.quiet}>
          <span>
            {[folder, titled ? name : ""].filter(Boolean).join(" / ") || say.search.results.top}
          </span>
          <span>{dateOf(first)}</span>
          <Link
            className={styles.askFile}
            to={askAbout(library, { paths: [file] })}
            aria-label={say.search.ask.about(title)}
            title={say.search.ask.one}
            tabIndex={reach}
          >
            <IconMessageCircle size={14} stroke={1.75} aria-hidden />{" "}
            <span>{say.search.ask.one}</span>
          </Link>
        </p>
        <ul className={styles.passages}>
          {few.map((passage, n) => (
            <li key={itemName(file, n)}>
              <Passage passage={passage} name={itemName(file, n)} stop={stop} />
              <Copies passage={passage} said={alsoOf(passages, n)} />
            </li>
          ))}
        </ul>
        {few.length < passages.length && (
          <button
            type="button"
            className={styles.rest}
            data-item={more}
            tabIndex={stop === more ? 0 : -1}
            onClick={props.unfold}
          >
            {say.search.results.inFile(passages.length - few.length)}
          </button>
        )}
      </div>
    </li>
  );
}

function Passage(props: { passage: FoundPassage; name: string; stop: string | null }) {
  const { passage, name, stop } = props;
  const { place } = useSource();
  const own = placeOf(passage);
  const open = place?.file === own.file && place.quote === own.quote;
  const spot = spotOf(passage);
  return (
    <SourceLink
      place={own}
      className={styles.passage}
      data-item={name}
      tabIndex={stop === name ? 0 : -1}
      aria-current={open || undefined}
    >
      {spot && <span className={styles.spot}>{spot}</span>}
      <span className={styles.snippet}>
        <Marked text={shown(passage)} marks={passage.marks} />
      </span>
    </SourceLink>
  );
}

/** The other files that say the same; all of them where the pointer rests. */
function Copies({ passage, said }: { passage: FoundPassage; said: string | null }) {
  if (!said) return null;
  return (
    <p className={styles.also} title={passage.also.join("\n")}>
      {said}
    </p>
  );
}

/** The bars between a sheet's cells are made quieter; each stays one character, for the marks. */
function shown(passage: FoundPassage): string {
  const sheet = kindOf(passage.file, passage.format) === "sheet";
  return sheet ? passage.snippet.replaceAll("|", "·") : passage.snippet;
}
