import { IconCalendar, IconFolders, IconPlus, IconX } from "@tabler/icons-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import type { LibraryItem } from "../api/types";
import { folderName } from "../app/LibraryChoice";
import { ALL } from "../app/library";
import { say } from "../language";
import { Button, IconButton } from "../ui/Button";
import styles from "./ask.module.css";
import { periodOf, type Scope } from "./scope";

const Choosing = lazy(() => import("./Choosing")); // the first view does without
const words = say.ask.scope;

interface ScopeProps {
  library: LibraryItem;
  scope: Scope;
  choose: (change: (scope: Scope) => Scope) => void;
  /** The choice is over: the question can be written. */
  done: () => void;
}

/** What is asked: the whole library, or folders, files and a period of it, each as a chip. */
export function ScopeChoice({ library, scope, choose, done }: ScopeProps) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const removed = useRef<number | null>(null); // the place of the chip that goes away
  const period = periodOf(scope);
  const whole = scope.paths.length === 0 && !period;
  const close = () => {
    setOpen(false);
    done();
  };
  const remove = (place: number, change: (scope: Scope) => Scope) => {
    removed.current = place;
    choose(change);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once the chip is gone, its neighbour has the focus
  useEffect(() => {
    if (removed.current === null) return;
    box.current?.querySelectorAll("button")[removed.current]?.focus();
    removed.current = null;
  }, [scope]);
  return (
    <div ref={box} className={styles.scope}>
      {!whole && <span>{words.only}</span>}
      {scope.paths.map((path, place) => (
        <Chip
          key={path}
          name={path}
          remove={() =>
            remove(place, ({ paths, ...rest }) => ({
              ...rest,
              paths: paths.filter((one) => one !== path),
            }))
          }
        />
      ))}
      {period && (
        <Chip
          name={period}
          remove={() =>
            remove(scope.paths.length, ({ paths }) => ({ paths, from: null, to: null }))
          }
          dated
        />
      )}
      {open ? (
        <Suspense>
          <Choosing library={library} scope={scope} choose={choose} close={close} />
        </Suspense>
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
