import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { type KeyboardEvent, useState } from "react";
import { number, say } from "../language";
import { IconButton } from "../ui/Button";
import styles from "./source.module.css";

const KEYS: Record<string, number> = { ArrowUp: -1, PageUp: -1, ArrowDown: 1, PageDown: 1 };

interface PagerProps {
  page: number;
  pages: number;
  label?: string | null;
  turnTo: (page: number) => void;
}

/** To the page before, the next one, or any. */
export function Pager({ page, pages, label, turnTo }: PagerProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const go = (to: number) => {
    setTyped(null);
    if (to >= 1 && to <= pages) turnTo(to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = KEYS[event.key];
    if (!step) return;
    event.preventDefault();
    go(page + step);
  };
  return (
    <nav className={styles.pager} aria-label={say.source.pages}>
      <IconButton label={say.source.pageBefore} disabled={page <= 1} onClick={() => go(page - 1)}>
        <IconChevronLeft size={17} aria-hidden />
      </IconButton>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go(Number(typed ?? page));
        }}
      >
        <label>
          {say.source.page}
          <input
            inputMode="numeric"
            size={3}
            value={typed ?? page}
            onChange={(event) => setTyped(event.target.value)}
            onBlur={() => setTyped(null)}
            onFocus={(event) => event.target.select()}
            onKeyDown={onKeyDown}
          />
        </label>
        {say.source.ofPages(number(pages))} {label && <em dir="auto">{label}</em>}
      </form>
      <IconButton label={say.source.nextPage} disabled={page >= pages} onClick={() => go(page + 1)}>
        <IconChevronRight size={17} aria-hidden />
      </IconButton>
    </nav>
  );
}
