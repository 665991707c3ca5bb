import { IconSparkles } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import type { LibraryItem } from "../api/types";
import { folderName } from "../app/LibraryChoice";
import { say } from "../language";
import { Button } from "../ui/Button";
import type { Choice } from "./add";
import { FolderChooser } from "./FolderChooser";
import { Step } from "./Step";
import styles from "./welcome.module.css";

const SAID = say.welcome.choose;

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
  const chosen = added ? folderName(added) : choice === "example" ? SAID.example : choice?.folder;
  return (
    <Step number={1} title={SAID.title} state={chosen ? "done" : "now"}>
      {chosen ? (
        <div className={styles.chosen}>
          <p>
            {added ? SAID.added : SAID.chosen}
            <strong>{added ? added.roots.join(", ") : chosen}</strong>
          </p>
          <Button kind="quiet" disabled={busy} onClick={() => choose(null)}>
            {added ? SAID.addAnother : SAID.again}
          </Button>
        </div>
      ) : (
        <>
          <p>{SAID.what}</p>
          {looking ? (
            <FolderChooser
              verb={say.welcome.folders.choose}
              busy={busy}
              choose={(folder) => choose({ folder })}
            />
          ) : (
            <Button kind="primary" onClick={() => setLooking(true)}>
              {SAID.button}
            </Button>
          )}
          <div className={styles.example}>
            <IconSparkles size={20} stroke={1.5} aria-hidden />
            <p>
              <strong>{SAID.onlyLooking}</strong> {SAID.exampleIs}
            </p>
            <Button disabled={busy} onClick={() => choose("example")}>
              {SAID.tryExample}
            </Button>
          </div>
        </>
      )}
      {children}
    </Step>
  );
}
