import { useEffect, useState } from "react";
import type { View } from "../api/types";
import { say } from "../language";
import { keep, kept } from "../ui/kept";
import { arrival, heightOf, topOf } from "./layout";
import { PageBar } from "./PageBar";
import { PageSheet } from "./PageSheet";
import styles from "./pages.module.css";
import type { Place } from "./place";
import { Thumbnails } from "./Thumbnails";
import { usePages } from "./usePages";
import { useZoom } from "./useZoom";
import { FIT } from "./zoom";

const STRIP = "manole.source-thumbnails";

interface PagesProps {
  view: View;
  place: Place;
  opened: number | undefined;
  library: string;
}

/** All pages below each other as they look; what was quoted is marked on its page. */
export function Pages({ view, place, opened, library }: PagesProps) {
  const [zoom, setZoom] = useState(FIT);
  const [strip, setStrip] = useState(() => kept(STRIP) !== null);
  const { scroller, width, height, placed, seen, onScroll, goTo, learn } = usePages(
    view.pages,
    zoom,
  );
  useZoom(scroller, zoom, setZoom);
  const cited = view.page ?? 1;
  const ready = height > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: gone to once, when it is opened
  useEffect(() => {
    if (ready) goTo(arrival(cited, view.boxes[0], height));
  }, [view, opened, ready]);
  const turnTo = (page: number) =>
    goTo(arrival(Math.min(Math.max(page, 1), view.pages), undefined, height));
  const near = Array.from(
    { length: Math.max(0, seen.last - seen.first + 1) },
    (_, i) => seen.first + i,
  );
  return (
    <>
      <PageBar
        page={seen.current}
        pages={view.pages}
        turnTo={turnTo}
        zoom={zoom}
        setZoom={setZoom}
        strip={strip}
        setStrip={(on) => {
          keep(STRIP, on ? "on" : null);
          setStrip(on);
        }}
      />
      <div className={styles.pages}>
        {strip && view.pages > 1 && (
          <Thumbnails
            library={library}
            file={view.file}
            pages={view.pages}
            current={seen.current}
            turnTo={turnTo}
          />
        )}
        <section
          ref={scroller}
          className={styles.scroller}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is focusable
          tabIndex={0}
          aria-label={say.source.content}
          onScroll={onScroll}
          onKeyDown={(event) => {
            const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
            if (!step || zoom > FIT || event.ctrlKey || event.altKey || event.metaKey) return;
            event.preventDefault();
            turnTo(seen.current + step);
          }}
        >
          <div className={styles.sheets} style={{ height: placed.height, width }}>
            {near.map((page) => (
              <PageSheet
                key={page}
                view={view}
                library={library}
                page={page}
                place={page === cited ? place : null}
                top={topOf(placed, page)}
                width={width}
                height={heightOf(placed, page)}
                learn={learn}
              />
            ))}
          </div>
        </section>
      </div>
    </>
  );
}
