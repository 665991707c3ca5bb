import { IconFolder, IconFolderPlus, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { change } from "../../api/client";
import type { LibraryItem } from "../../api/types";
import { folderName } from "../../app/LibraryChoice";
import { chooseLibrary } from "../../app/library";
import { Button } from "../../ui/Button";
import { Failure } from "../../ui/Notice";
import { useAddLibrary } from "../../welcome/add";
import { FolderChooser } from "../../welcome/FolderChooser";
import { Confirm } from "../Confirm";
import shared from "../library.module.css";
import { ago, count } from "../words";
import styles from "./files.module.css";

/** The folders that Manole reads: which one is in use, and a way to add another. */
export function Libraries(props: { libraries: LibraryItem[]; chosen: LibraryItem }) {
  const { libraries, chosen } = props;
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState(false);
  const remove = useRemoveLibrary();
  return (
    <section aria-label="Folders that Manole reads">
      <div className={styles.libraries}>
        {libraries.length > 1 ? (
          <fieldset className={styles.choices}>
            <legend className="hidden">Library in use</legend>
            {libraries.map((library) => (
              <Choice key={library.name} library={library} chosen={library.name === chosen.name} />
            ))}
          </fieldset>
        ) : (
          <Roots library={chosen} />
        )}
        <div className={styles.libraryActions}>
          <Button aria-expanded={adding} onClick={() => setAdding(!adding)}>
            <IconFolderPlus size={18} stroke={1.75} aria-hidden />
            Add a folder
          </Button>
          <Button kind="quiet" onClick={() => setRemoving(true)}>
            <IconTrash size={18} stroke={1.75} aria-hidden />
            Remove {folderName(chosen)}
          </Button>
        </div>
      </div>
      {removing && (
        <Confirm
          title={`Remove ${folderName(chosen)} from Manole?`}
          yes="Remove"
          run={() => remove.mutate(chosen.name)}
          close={() => setRemoving(false)}
        >
          <p>
            Its files stay as they are: only what Manole has read of them is deleted. Added again,
            the folder is read anew, and its conversations are back.
          </p>
        </Confirm>
      )}
      {remove.error && <Failure error={remove.error} />}
      {adding && <Adding close={() => setAdding(false)} />}
    </section>
  );
}

function useRemoveLibrary() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => change("DELETE", `/libraries/${name}`),
    onSuccess: (_, name) => {
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey.includes(name) });
      chooseLibrary(null);
      return queries.invalidateQueries({ queryKey: ["libraries"] });
    },
  });
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
        <span className={styles.path}>{library.roots.join(", ")}</span>
      </span>
      <span className={shared.quiet}>
        {library.indexed ? count(library.files, "file") : "not indexed yet"}
        {library.updated && `, updated ${ago(library.updated)}`}
      </span>
    </label>
  );
}

function Adding({ close }: { close: () => void }) {
  const add = useAddLibrary();
  return (
    <div className={styles.adding}>
      <h2>Add a folder</h2>
      <p className={shared.quiet}>
        Its files become a library of their own. Manole only reads them: it never changes, moves or
        deletes a file.
      </p>
      <FolderChooser
        verb="Add"
        busy={add.isPending}
        choose={(folder) => add.mutate({ folder }, { onSuccess: close })}
      />
      {add.error && <Failure error={add.error} />}
      <Button kind="quiet" onClick={close}>
        Cancel
      </Button>
    </div>
  );
}
