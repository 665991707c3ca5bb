import { IconChevronRight, IconEyeOff, IconFolder } from "@tabler/icons-react";
import { useState } from "react";
import { number, say } from "../../language";
import { IconButton } from "../../ui/Button";
import type { Folder } from "../folders";
import { Excluded } from "./Excluded";
import styles from "./files.module.css";
import type { Leaving } from "./useLeaving";

const SAID = say.library.folders;

interface TreeProps {
  tree: Folder;
  chosen: string;
  choose: (folder: string) => void;
  leaving: Leaving | null;
}

/** The folders with their counts: one is chosen to see its files, or left out of the library. */
export function FolderTree({ tree, chosen, choose, leaving }: TreeProps) {
  return (
    <section className={styles.folders} aria-labelledby="folders">
      <h2 id="folders">{SAID.title}</h2>
      <ul className={styles.tree}>
        <li>
          <div className={styles.folder}>
            <i />
            <button
              type="button"
              className={styles.folderName}
              aria-pressed={chosen === ""}
              onClick={() => choose("")}
            >
              <span>{SAID.everything}</span>
              <small>{number(tree.files)}</small>
            </button>
          </div>
        </li>
        {tree.inside.map((folder) => (
          <Branch key={folder.path} {...{ folder, chosen, choose, leaving }} />
        ))}
      </ul>
      {leaving && <Excluded leaving={leaving} />}
    </section>
  );
}

function Branch(props: Omit<TreeProps, "tree"> & { folder: Folder }) {
  const { folder, chosen, choose, leaving } = props;
  const [open, setOpen] = useState(chosen.startsWith(`${folder.path}/`));
  return (
    <li>
      <div className={styles.folder}>
        {folder.inside.length > 0 ? (
          <button
            type="button"
            className={styles.unfold}
            aria-expanded={open}
            aria-label={SAID.inside(folder.name)}
            onClick={() => setOpen(!open)}
          >
            <IconChevronRight size={16} stroke={2} aria-hidden />
          </button>
        ) : (
          <i />
        )}
        <button
          type="button"
          className={styles.folderName}
          aria-pressed={chosen === folder.path}
          onClick={() => choose(chosen === folder.path ? "" : folder.path)}
        >
          <IconFolder size={17} stroke={1.75} aria-hidden />
          <span>{folder.name}</span>
          <small>{number(folder.files)}</small>
        </button>
        {leaving && (
          <IconButton
            label={SAID.exclude(folder.path)}
            disabled={leaving.busy}
            onClick={() => leaving.leaveOut(folder.path, "folder")}
          >
            <IconEyeOff size={17} stroke={1.75} aria-hidden />
          </IconButton>
        )}
      </div>
      {open && (
        <ul className={styles.tree}>
          {folder.inside.map((inner) => (
            <Branch key={inner.path} {...{ folder: inner, chosen, choose, leaving }} />
          ))}
        </ul>
      )}
    </li>
  );
}
