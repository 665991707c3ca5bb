import { IconFolders, IconX } from "@tabler/icons-react";
import { useEffect, useId, useRef, useState } from "react";
import type { LibraryItem } from "../api/types";
import { folderName } from "../app/LibraryChoice";
import { usePlaces } from "../search/folders";
import { Button, IconButton } from "../ui/Button";
import styles from "./ask.module.css";

const SHOWN = 300; // of a large library; typing narrows them

interface ScopeProps {
  library: LibraryItem;
  scope: string | null;
  choose: (scope: string | null) => void;
}

/** What is asked: the whole library, or one folder or file of it. */
export function ScopeChoice({ library, scope, choose }: ScopeProps) {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  const [entered, setEntered] = useState(false); // maybe before the places are known
  const field = useRef<HTMLInputElement>(null);
  const list = useId();
  const places = usePlaces(library.name, open);
  useEffect(() => {
    if (open) field.current?.focus();
  }, [open]);
  const close = () => {
    setText("");
    setEntered(false);
    setOpen(false);
  };
  const type = (typed: string) => {
    setText(typed);
    setEntered(false);
    if (!places.data?.includes(typed)) return;
    choose(typed);
    close();
  };
  const fitting = (places.data ?? []).filter((path) =>
    path.toLowerCase().includes(text.toLowerCase()),
  );
  const first = entered && text && places.data ? fitting[0] : undefined;
  useEffect(() => {
    if (!first) return;
    choose(first);
    setText("");
    setEntered(false);
    setOpen(false);
  }, [first, choose]);
  if (scope) {
    return (
      <p className={styles.scope}>
        Only within <strong>{scope}</strong>
        <IconButton label="Ask the whole library" onClick={() => choose(null)}>
          <IconX size={14} aria-hidden />
        </IconButton>
      </p>
    );
  }
  if (!open) {
    return (
      <Button kind="quiet" onClick={() => setOpen(true)} title="Choose a folder or a file">
        <IconFolders size={16} aria-hidden /> All of {folderName(library)}
      </Button>
    );
  }
  return (
    <>
      <input
        ref={field}
        className={styles.scopeField}
        list={list}
        aria-label="Folder or file to ask about"
        placeholder="Folder or file"
        value={text}
        onChange={(event) => type(event.target.value)}
        onBlur={close}
        onKeyDown={(event) => {
          if (event.key === "Escape") close();
          if (event.key === "Enter") setEntered(true);
          if (event.key === "Escape" || event.key === "Enter") {
            event.preventDefault();
            event.stopPropagation();
          }
        }}
      />
      <datalist id={list}>
        {fitting.slice(0, SHOWN).map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
    </>
  );
}
