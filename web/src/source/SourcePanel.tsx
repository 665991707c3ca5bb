import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { get } from "../api/client";
import type { View } from "../api/types";
import { Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { Hits } from "./Hits";
import { isDocument, isDrawn } from "./kinds";
import { PageView } from "./PageView";
import { type Place, useSource } from "./place";
import { SourceHead } from "./SourceHead";
import styles from "./source.module.css";
import { TextView } from "./TextView";
import { Widening } from "./Widening";

const Rendered = lazy(() => import("./Rendered"));

interface PanelProps {
  place: Place;
  library: string;
  close: () => void;
}

/** A file at the place that was cited, beside what cites it. */
export function SourcePanel({ place, library, close }: PanelProps) {
  const { open } = useSource();
  const panel = useRef<HTMLElement>(null);
  const [asText, setAsText] = useState(false);
  const view = useQuery({
    queryKey: ["view", library, place],
    queryFn: ({ signal }) =>
      get<View>(
        `/libraries/${library}/view`,
        {
          path: place.file,
          page: place.page,
          quote: place.quote,
          line: place.line,
          line_end: place.lineEnd,
        },
        signal,
      ),
    placeholderData: (before) => (before?.file === place.file ? before : undefined),
  });
  useFocusWithin(panel, place.file);
  const data = view.data;
  const turnTo = (page: number) => open({ file: place.file, page });
  return (
    <aside ref={panel} className={styles.panel} aria-label="Source">
      <Widening />
      <SourceHead
        place={place}
        view={data}
        library={library}
        close={close}
        asText={asText}
        setAsText={setAsText}
      />
      <Hits library={library} place={place} open={open} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is focusable */}
      <section className={styles.body} tabIndex={0} aria-label="Content">
        {view.isPending && <Waiting label="Opening the file" />}
        {view.isError && <Failure error={view.error} again={() => view.refetch()} />}
        {data && <Body view={data} library={library} asText={asText} turnTo={turnTo} />}
      </section>
    </aside>
  );
}

interface BodyProps {
  view: View;
  library: string;
  asText: boolean;
  turnTo: (page: number) => void;
}

function Body({ view, library, asText, turnTo }: BodyProps) {
  const drawn = isDrawn(view) && !asText;
  return (
    <>
      {view.reason && <p className={styles.reason}>{view.reason}</p>}
      {drawn ? (
        <PageView view={view} library={library} turnTo={turnTo} />
      ) : isDocument(view) && !asText ? (
        <Suspense fallback={<Waiting label="Opening the file" />}>
          <Rendered view={view} turnTo={turnTo} />
        </Suspense>
      ) : (
        <TextView view={view} turnTo={turnTo} />
      )}
    </>
  );
}

/** The panel takes the focus when a file opens, and gives it back to what opened it. */
function useFocusWithin(panel: React.RefObject<HTMLElement | null>, file: string): void {
  const opener = useRef<Element | null>(null);
  useEffect(() => {
    const active = document.activeElement;
    if (!panel.current?.contains(active)) opener.current = active;
    if (file) panel.current?.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
  }, [panel, file]);
  useEffect(
    () => () => {
      const lost = document.activeElement === document.body || document.activeElement === null;
      const to = opener.current;
      if (lost && to instanceof HTMLElement && to.isConnected) to.focus({ preventScroll: true });
    },
    [],
  );
}
