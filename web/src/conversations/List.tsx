import { type KeyboardEvent, useEffect, useRef } from "react";
import type { ConversationItem } from "../api/types";
import { useAbout } from "../app/LibraryChoice";
import { isRunning, useTurns } from "../ask/useTalk";
import { say } from "../language";
import { Button } from "../ui/Button";
import { Empty } from "../ui/Notice";
import { moved } from "../ui/roving";
import styles from "./conversations.module.css";
import { Deleted } from "./Deleted";
import type { Deletion } from "./deletions";
import { sections } from "./list";
import { Row } from "./Row";
import { useDeletions, useRename } from "./useConversations";

const SAID = say.conversations;

interface ListProps {
  items: ConversationItem[];
  containing: string;
  /** Reads on; null at the end. */
  more: (() => void) | null;
  busy: boolean;
}

/** The conversations under their headings of time. The arrow keys move from title to title. */
export function List({ items, containing, more, busy }: ListProps) {
  const { deletions, entries } = useDeletions();
  const rename = useRename();
  const about = useAbout();
  const running = new Set(
    useTurns()
      .filter(isRunning)
      .map((turn) => turn.conversation),
  );
  const list = useRef<HTMLDivElement>(null);
  const now = new Date();
  const listed = new Set(items.map(({ id }) => id));
  // What the search left out can be taken back all the same.
  const elsewhere = entries.filter(
    ({ item, state }) => !listed.has(item.id) && state !== "sending",
  );

  const titles = () => [...(list.current?.querySelectorAll<HTMLElement>("[data-title]") ?? [])];
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const at = titles().indexOf(event.currentTarget as HTMLElement);
    const next = moved(event.key, at, titles().length);
    if (next === null) return;
    event.preventDefault();
    titles()[next]?.focus();
  };
  const focusTitle = (id: string) =>
    // Once the row is back.
    setTimeout(() =>
      titles()
        .find((title) => title.dataset.title === id)
        ?.focus(),
    );
  const told = (deletion: Deletion) => (
    <Deleted
      deletion={deletion}
      undo={() => {
        deletions.undo(deletion.item.id);
        focusTitle(deletion.item.id);
      }}
      again={() => deletions.retry(deletion.item.id)}
      pass={(from) => {
        const after = (title: HTMLElement) =>
          from.compareDocumentPosition(title) & Node.DOCUMENT_POSITION_FOLLOWING;
        (titles().find(after) ?? titles().at(-1))?.focus();
      }}
    />
  );
  return (
    <div ref={list}>
      {elsewhere.map((deletion) => (
        <div key={deletion.item.id}>{told(deletion)}</div>
      ))}
      {items.length === 0 && (
        <Empty title={SAID.noneFound}>
          <p>{SAID.noneFoundWhy}</p>
        </Empty>
      )}
      {sections(items, now).map((section) => (
        <section key={section.name} className={styles.section}>
          <h2>{section.name}</h2>
          <ul className={styles.list}>
            {section.items.map((item) => {
              const deletion = entries.find((entry) => entry.item.id === item.id);
              return (
                <li key={item.id}>
                  {deletion ? (
                    told(deletion)
                  ) : (
                    <Row
                      item={item}
                      found={containing}
                      about={about(item)}
                      running={running.has(item.id)}
                      now={now}
                      onKeyDown={onKeyDown}
                      rename={(title) => rename(item, title)}
                      remove={() => deletions.begin(item)}
                    />
                  )}
                </li>
              );
            })}
          </ul>
        </section>
      ))}
      <p className="hidden" role="status">
        {containing && SAID.found(items.length, more !== null)}
      </p>
      {more && <More more={more} busy={busy} />}
    </div>
  );
}

/** Reads on when it comes into sight; a button, too, for those who do not scroll. */
function More({ more, busy }: { more: () => void; busy: boolean }) {
  const button = useRef<HTMLDivElement>(null);
  const latest = useRef({ more, busy });
  latest.current = { more, busy };
  useEffect(() => {
    if (!button.current) return;
    const watch = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting && !latest.current.busy) latest.current.more();
    });
    watch.observe(button.current);
    return () => watch.disconnect();
  }, []);
  return (
    <div ref={button} className={styles.more}>
      <Button onClick={more} disabled={busy}>
        {busy ? SAID.readingOn : SAID.older}
      </Button>
    </div>
  );
}
