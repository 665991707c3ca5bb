import { IconPencil, IconTrash } from "@tabler/icons-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Link } from "react-router";
import type { ConversationItem } from "../api/types";
import { toTalk } from "../app/library";
import { say } from "../language";
import { IconButton } from "../ui/Button";
import { Renaming } from "../ui/Renaming";
import styles from "./conversations.module.css";
import { Export } from "./Export";
import { isTitle, whenOf } from "./list";

interface RowProps {
  item: ConversationItem;
  /** What its library is called, where there are several. */
  about: string | null;
  /** An answer is being written in it. */
  running: boolean;
  /** Words by which it was found. */
  found: string;
  now: Date;
  onKeyDown: (event: KeyboardEvent) => void;
  rename: (title: string) => Promise<void>;
  remove: () => void;
}

/** A conversation: its title opens it, the buttons beside it do the rest. */
export function Row({ item, found, now, onKeyDown, rename, remove, ...props }: RowProps) {
  const [renaming, setRenaming] = useState(false);
  const title = useRef<HTMLAnchorElement>(null);
  const keys = (event: KeyboardEvent) => {
    if (event.key === "F2") setRenaming(true);
    else if (event.key === "Delete") remove();
    else return onKeyDown(event);
    event.preventDefault();
  };
  const done = () => {
    flushSync(() => setRenaming(false));
    title.current?.focus();
  };
  if (renaming) return <Renaming title={item.title} wrong={wrong} rename={rename} done={done} />;
  return (
    <div className={styles.row}>
      <Link
        ref={title}
        to={toTalk(item, found)}
        className={styles.title}
        data-title={item.id}
        aria-keyshortcuts="F2 Delete"
        onKeyDown={keys}
      >
        {item.title}
      </Link>
      <p className={styles.facts}>
        {props.running && <strong>{say.conversations.answering}</strong>}
        {props.about && <span>{props.about}</span>}
        <time dateTime={item.updated}>{whenOf(item.updated, now)}</time>
        <span>{say.conversations.turns(item.turns)}</span>
      </p>
      <div className={styles.tools}>
        <IconButton label={say.conversations.rename(item.title)} onClick={() => setRenaming(true)}>
          <IconPencil size={18} stroke={1.75} aria-hidden />
        </IconButton>
        <Export item={item} />
        <IconButton label={say.conversations.remove(item.title)} onClick={remove}>
          <IconTrash size={18} stroke={1.75} aria-hidden />
        </IconButton>
      </div>
    </div>
  );
}

function wrong(title: string): string | null {
  return isTitle(title) ? null : say.conversations.titleNeeds;
}
