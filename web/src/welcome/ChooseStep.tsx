import { IconSparkles } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import type { LibraryItem } from "../api/types";
import { folderName } from "../app/LibraryChoice";
import { Button } from "../ui/Button";
import type { Choice } from "./add";
import { FolderChooser } from "./FolderChooser";
import { Step } from "./Step";
import styles from "./welcome.module.css";

interface ChooseProps {
  choice: Choice | null;
  added: LibraryItem | undefined;
  busy: boolean;
  choose: (choice: Choice | null) => void;
  children: ReactNode;
}

/** Step 1: a folder of one's own, or the example. */
export function ChooseStep({ choice, added, busy, choose, children }: ChooseProps) {
  const [looking, setLooking] = useState(false);
  const chosen = added ? folderName(added) : choice === "example" ? "the example" : choice?.folder;
  return (
    <Step number={1} title="Choose a folder" state={chosen ? "done" : "now"}>
      {chosen ? (
        <div className={styles.chosen}>
          <p>
            {added ? "Added: " : "Chosen: "}
            <strong>{added ? added.roots.join(", ") : chosen}</strong>
          </p>
          <Button kind="quiet" disabled={busy} onClick={() => choose(null)}>
            {added ? "Add another" : "Choose again"}
          </Button>
        </div>
      ) : (
        <>
          <p>
            Documents, invoices, mail, photos, notes: whatever you want to ask about, with all
            folders inside. Files are only read; none is changed, moved or deleted.
          </p>
          {looking ? (
            <FolderChooser verb="Choose" busy={busy} choose={(folder) => choose({ folder })} />
          ) : (
            <Button kind="primary" onClick={() => setLooking(true)}>
              Choose a folder
            </Button>
          )}
          <div className={styles.example}>
            <IconSparkles size={20} stroke={1.5} aria-hidden />
            <p>
              <strong>Only looking?</strong> The example is the papers of an invented family: 58
              files in 15 formats, quickly read.
            </p>
            <Button disabled={busy} onClick={() => choose("example")}>
              Try the example
            </Button>
          </div>
        </>
      )}
      {children}
    </Step>
  );
}
