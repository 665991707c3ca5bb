import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { url } from "../api/client";
import { number, say } from "../language";
import { moved } from "../ui/roving";
import styles from "./pages.module.css";
import { useStays } from "./useStays";

const HEIGHT = 132; // pixels of a small picture with its number

interface StripProps {
  library: string;
  file: string;
  pages: number;
  current: number;
  turnTo: (page: number) => void;
}

/** Small pictures of the pages, those in sight; the one that is read is told. */
export function Thumbnails({ library, file, pages, current, turnTo }: StripProps) {
  const strip = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: pages,
    getScrollElement: () => strip.current,
    estimateSize: () => HEIGHT,
    overscan: 2,
    initialOffset: Math.max(0, (current - 2) * HEIGHT),
  });
  useEffect(() => {
    virtual.scrollToIndex(current - 1, { align: "auto" });
    const focused = strip.current?.contains(document.activeElement);
    if (focused) strip.current?.querySelector<HTMLElement>("[aria-current]")?.focus();
  }, [virtual, current]);
  return (
    <nav
      ref={strip}
      className={styles.strip}
      aria-label={say.source.thumbnails}
      onKeyDown={(event) => {
        const to = moved(event.key, current - 1, pages);
        if (to === null) return;
        event.preventDefault();
        turnTo(to + 1);
      }}
    >
      <ol className={styles.small} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <li key={index} style={{ transform: `translateY(${start}px)`, height: HEIGHT }}>
            <button
              type="button"
              aria-label={say.source.pageNumber(number(index + 1))}
              aria-current={index + 1 === current ? "page" : undefined}
              tabIndex={index + 1 === current ? 0 : -1}
              onClick={() => turnTo(index + 1)}
            >
              <Small library={library} file={file} page={index + 1} />
              <span>{number(index + 1)}</span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Small({ library, file, page }: { library: string; file: string; page: number }) {
  const src = url(`/libraries/${library}/pages`, { path: file, page, width: 160 });
  return useStays() ? <img src={src} alt="" /> : <i />;
}
