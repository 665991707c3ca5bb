import { IconFolder, IconFolderPlus, IconPencil, IconTrash } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { LibraryItem } from "../../api/types";
import { folderName, foldersOf } from "../../app/LibraryChoice";
import { ALL, chooseLibrary, together } from "../../app/library";
import { say } from "../../language";
import { Button } from "../../ui/Button";
import { Failure } from "../../ui/Notice";
import { Renaming } from "../../ui/Renaming";
import { useAddLibrary } from "../../welcome/add";
import { FolderChooser } from "../../welcome/FolderChooser";
import { Confirm } from "../Confirm";
import shared from "../library.module.css";
import { ago } from "../words";
import styles from "./files.module.css";
import { useRemoveLibrary, useRenameLibrary } from "./useLibraryChange";

const SAID = say.library.libraries;
const LONGEST = 80; // characters of a title

/** The folders that Manole reads: which one is in use, what it is called, a way to add another. */
export function Libraries(props: { libraries: LibraryItem[]; chosen: LibraryItem }) {
  const { libraries, chosen } = props;
  const [open, setOpen] = useState<"adding" | "renaming" | "removing" | null>(null);
  const actions = useRef<HTMLDivElement>(null);
  const remove = useRemoveLibrary();
  const name = folderName(chosen);
  const all = chosen.name === ALL;
  const listed = all || libraries.length > 1 ? [...libraries, together(libraries)] : [];
  const close = () => setOpen(null);
  const renamed = () => {
    flushSync(close);
    actions.current?.querySelector<HTMLElement>("[data-rename]")?.focus();
  };
  const title = open === "renaming" && !all && <Title library={chosen} done={renamed} />;
  return (
    <section aria-label={SAID.label}>
      <div className={styles.libraries}>
        {listed.length > 0 ? (
          <fieldset className={styles.choices}>
            <legend className="hidden">{SAID.inUse}</legend>
            {listed.map((library) => {
              const own = library.name === chosen.name;
              return (own && title) || <Choice key={library.name} library={library} chosen={own} />;
            })}
          </fieldset>
        ) : (
          <div className={styles.choices}>
            {title || (chosen.title && <strong>{chosen.title}</strong>)}
            <Roots library={chosen} />
          </div>
        )}
        <div ref={actions} className={styles.libraryActions}>
          <Button
            aria-expanded={open === "adding"}
            onClick={() => setOpen(open === "adding" ? null : "adding")}
          >
            <IconFolderPlus size={18} stroke={1.75} aria-hidden />
            {SAID.add}
          </Button>
          {!all && (
            <>
              <Button
                kind="quiet"
                data-rename
                aria-label={SAID.renameThis(name)}
                onClick={() => setOpen("renaming")}
              >
                <IconPencil size={18} stroke={1.75} aria-hidden />
                {SAID.rename}
              </Button>
              <Button
                kind="quiet"
                aria-label={SAID.removeThis(name)}
                onClick={() => setOpen("removing")}
              >
                <IconTrash size={18} stroke={1.75} aria-hidden />
                {SAID.remove}
              </Button>
            </>
          )}
        </div>
      </div>
      {open === "removing" && (
        <Confirm
          title={SAID.removeAsk(name)}
          yes={SAID.remove}
          run={() => remove.mutate(chosen.name)}
          close={close}
        >
          <p>{SAID.removeWhat}</p>
        </Confirm>
      )}
      {remove.error && <Failure error={remove.error} />}
      {open === "adding" && <Adding close={close} />}
    </section>
  );
}

/** What a library is called, in the making; nothing, or its folder's name, takes a title away. */
function Title({ library, done }: { library: LibraryItem; done: () => void }) {
  const rename = useRenameLibrary(library.name);
  const folders = foldersOf(library);
  return (
    <Renaming
      title={folderName(library)}
      wrong={(title) => (Array.from(title).length > LONGEST ? SAID.tooLong : null)}
      rename={(title) => rename(title === folders ? null : title || null)}
      done={done}
    />
  );
}

function Roots({ library }: { library: LibraryItem }) {
  return (
    <ul className={styles.roots}>
      {library.roots.map((root) => (
        <li key={root}>
          <IconFolder size={20} stroke={1.75} aria-hidden />
          {root}
        </li>
      ))}
    </ul>
  );
}

function Choice({ library, chosen }: { library: LibraryItem; chosen: boolean }) {
  return (
    <label className={styles.choice}>
      <input
        type="radio"
        name="library"
        checked={chosen}
        onChange={() => chooseLibrary(library.name)}
      />
      <span>
        <strong>{folderName(library)}</strong>
        {library.name !== ALL && <span className={styles.path}>{library.roots.join(", ")}</span>}
      </span>
      <span className={shared.quiet}>
        {library.indexed ? say.library.files(library.files) : SAID.notIndexed}
        {library.updated && `, ${SAID.updated(ago(library.updated))}`}
      </span>
    </label>
  );
}

function Adding({ close }: { close: () => void }) {
  const add = useAddLibrary();
  return (
    <div className={styles.adding}>
      <h2>{SAID.add}</h2>
      <p className={shared.quiet}>{SAID.addWhat}</p>
      <FolderChooser
        verb={SAID.addVerb}
        busy={add.isPending}
        choose={(folder) => add.mutate({ folder }, { onSuccess: close })}
      />
      {add.error && <Failure error={add.error} />}
      <Button kind="quiet" onClick={close}>
        {say.library.cancel}
      </Button>
    </div>
  );
}
