import { IconSearch } from "@tabler/icons-react";
import type { KeyboardEvent, RefObject } from "react";
import { number, say } from "../language";
import fields from "../ui/field.module.css";
import { Ask } from "./Card";
import { FileList, type OfMap } from "./FileList";
import { countsOf, type FileGraph, type Filter, LEAST_ALIKE, RELATIONS } from "./graph";
import { colourOf, type Group } from "./groups";
import styles from "./map.module.css";

interface FiltersProps {
  graph: FileGraph;
  filter: Filter;
  change: (filter: Filter) => void;
}

/** Which relations are shown, and from which similarity on. */
export function Filters({ graph, filter, change }: FiltersProps) {
  const { relations, threshold } = filter;
  const counts = countsOf(graph, filter);
  const share = say.ui.percent(Math.round(100 * threshold));
  const turn = (relation: (typeof RELATIONS)[number]) =>
    change({ ...filter, relations: { ...relations, [relation]: !relations[relation] } });
  return (
    <section className={styles.filters} aria-label={say.map.whatIsShown}>
      {RELATIONS.map((relation) => (
        <label key={relation} className={styles.switch}>
          <input type="checkbox" checked={relations[relation]} onChange={() => turn(relation)} />
          <b>{say.map.relations[relation].name}</b>
          <small>{number(counts[relation])}</small>
          <small>{say.map.relations[relation].says}</small>
        </label>
      ))}
      <label className={styles.threshold}>
        {say.map.atLeast} <output>{share}</output> {say.map.alikeAfter}
        <input
          type="range"
          min={LEAST_ALIKE}
          max={1}
          step={0.01}
          value={threshold}
          disabled={!relations.similarity}
          aria-valuetext={share}
          onChange={({ target }) => change({ ...filter, threshold: Number(target.value) })}
        />
      </label>
    </section>
  );
}

interface SearchProps extends OfMap {
  field: RefObject<HTMLInputElement | null>;
  query: string;
  found: string[];
  ask: (query: string) => void;
}

/** Finds a file by its name; Enter goes to the first. */
export function Search({ graph, go, field, query, found, ask }: SearchProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && found[0] !== undefined) go(found[0]);
    if (event.key !== "Escape" || !query) return;
    event.preventDefault(); // the frame would close the source, too
    ask("");
  };
  return (
    <search>
      <div className={fields.field}>
        <IconSearch size={17} stroke={1.75} aria-hidden />
        <input
          ref={field}
          type="search"
          aria-label={say.map.findOnMap}
          placeholder={say.map.find}
          value={query}
          onChange={({ target }) => ask(target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      {query.trim() && <small role="status">{say.map.found(found.length)}</small>}
      <FileList rows={found.map((path) => ({ path, why: path }))} graph={graph} go={go} />
    </search>
  );
}

interface GroupsProps extends OfMap {
  library: string;
  groups: Group[];
  open: number | null;
  turn: (group: number | null) => void;
}

/** The same as the map in words: files by group, the most linked first. */
export function Groups({ library, graph, go, groups, open, turn }: GroupsProps) {
  const rowOf = (path: string) => ({ path, why: say.map.linksOf(graph.degree(path)) });
  return (
    <section aria-label={say.map.groupsOfFiles}>
      {groups.map(({ id, name, files }) => (
        <details
          key={id}
          className={styles.group}
          open={id === open}
          onToggle={({ currentTarget }) => {
            const opened = currentTarget.open; // one at a time, and that stands out on the map
            if (opened !== (id === open)) turn(opened ? id : null);
          }}
        >
          <summary>
            <span style={{ background: colourOf(id) }} aria-hidden />
            <h2>{name}</h2>
            <small>{say.map.filesIn(files.length)}</small>
          </summary>
          {id === open && (
            <>
              <Ask library={library} paths={files}>
                {say.map.askFiles}
              </Ask>
              <FileList rows={files.map(rowOf)} graph={graph} go={go} />
            </>
          )}
        </details>
      ))}
    </section>
  );
}
