import { IconChevronRight, IconFolder } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { get } from "../api/client";
import type { Folders } from "../api/types";
import { say } from "../language";
import { Button } from "../ui/Button";
import { Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import styles from "./chooser.module.css";
import { crumbs, shortPath, typedPath } from "./paths";

const SAID = say.welcome.folders;

interface ChooserProps {
  verb: (folder: string) => string; // what choosing does: "Choose …", "Add …"
  busy: boolean;
  choose: (folder: string) => void;
}

/** Goes through the folders of the machine that Manole runs on, until one is chosen. */
export function FolderChooser({ verb, busy, choose }: ChooserProps) {
  const [path, setPath] = useState<string | null>(null);
  const [data, setData] = useState<Folders | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const walked = useRef(false);
  const folders = useQuery({
    queryKey: ["folders", path],
    queryFn: ({ signal }) => get<Folders>("/folders", { path }, signal),
  });
  // Where a folder cannot be opened, the one before it stays.
  if (folders.data && folders.data !== data) setData(folders.data);
  const go = (to: string) => {
    walked.current = true;
    setPath(to);
  };
  useEffect(() => {
    // The button that was pressed is gone: the keyboard goes on with the folders inside.
    if (walked.current && folders.data) list.current?.focus();
    if (folders.data) walked.current = false;
  }, [folders.data]);
  if (!data) {
    if (folders.isError) return <Failure error={folders.error} again={folders.refetch} />;
    return <Waiting label={SAID.looking} />;
  }
  const shown = shortPath(data.path, data.home);
  return (
    <div className={styles.chooser}>
      <Crumbs data={data} go={go} />
      <ul
        ref={list}
        tabIndex={-1}
        className={styles.folders}
        aria-label={SAID.inside(shown)}
        aria-busy={folders.isFetching}
      >
        {data.folders.map((folder) => (
          <li key={folder.path}>
            <button type="button" onClick={() => go(folder.path)}>
              <IconFolder size={18} stroke={1.75} aria-hidden />
              <span>{folder.name}</span>
              <small>{folder.files !== null && say.library.files(folder.files)}</small>
            </button>
          </li>
        ))}
        {data.folders.length === 0 && <li className={styles.none}>{SAID.none}</li>}
      </ul>
      <Typed key={data.path} data={data} go={go} />
      {folders.isError && <Failure error={folders.error} />}
      <Button
        kind={data.path === data.home ? "plain" : "primary"} // not before anything is chosen
        disabled={busy || folders.isError}
        onClick={() => choose(data.path)}
      >
        {verb(shown)}
      </Button>
    </div>
  );
}

function Crumbs({ data, go }: { data: Folders; go: (path: string) => void }) {
  const way = crumbs(data.path, data.home);
  return (
    <nav aria-label={SAID.way}>
      <ol className={styles.crumbs}>
        {way[0]?.path === data.home && (
          <li>
            <button type="button" onClick={() => go("/")}>
              {SAID.machine}
            </button>
            <IconChevronRight size={15} stroke={1.75} aria-hidden />
          </li>
        )}
        {way.map(({ name, path }, index) => (
          <li key={path}>
            {index < way.length - 1 ? (
              <>
                <button type="button" onClick={() => go(path)}>
                  {name}
                </button>
                <IconChevronRight size={15} stroke={1.75} aria-hidden />
              </>
            ) : (
              <strong aria-current="location">{name}</strong>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Typed({ data, go }: { data: Folders; go: (path: string) => void }) {
  const id = useId();
  const [typed, setTyped] = useState(data.path);
  const open = (event: FormEvent) => {
    event.preventDefault();
    const wanted = typedPath(typed, data.path);
    if (wanted) go(wanted);
  };
  return (
    <form className={styles.typed} onSubmit={open}>
      <label htmlFor={id}>{SAID.typePath}</label>
      <input
        id={id}
        type="text"
        spellCheck={false}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Button type="submit">{SAID.open}</Button>
    </form>
  );
}
