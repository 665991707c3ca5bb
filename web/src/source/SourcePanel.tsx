import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { get } from "../api/client";
import type { View } from "../api/types";
import { say } from "../language";
import { Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { Changes } from "./Changes";
import { Hits } from "./Hits";
import { isDocument, isDrawn, isShaped } from "./kinds";
import { Pages } from "./Pages";
import { type Place, placed, useSource } from "./place";
import { Recording } from "./Recording";
import { SourceHead } from "./SourceHead";
import styles from "./source.module.css";
import { TextView } from "./TextView";
import { Widening } from "./Widening";

const Rendered = lazy(() => import("./Rendered"));
const SheetTables = lazy(() => import("./SheetTables"));

interface PanelProps {
  place: Place;
  library: string;
  close: () => void;
}

/** A file at the place that was cited, beside what cites it. */
export function SourcePanel({ place, library, close }: PanelProps) {
  const { open, opened } = useSource();
  const panel = useRef<HTMLElement>(null);
  const [plain, setPlain] = useState<boolean | null>(null); // by the person's own choice
  const view = useQuery({
    queryKey: ["view", library, place],
    queryFn: ({ signal }) =>
      get<View>(
        `/libraries/${library}/view`,
        { ...placed(place), path: place.file, page: place.page },
        signal,
      ),
    placeholderData: (before) => (before?.file === place.file ? before : undefined),
  });
  useFocusWithin(panel, place.file);
  const data = view.data;
  // The pictures of a changed file are of other words than those that were read.
  const asText = plain ?? (data?.state === "changed" && isDrawn(data));
  return (
    <aside ref={panel} className={styles.panel} aria-label={say.source.source}>
      <Widening />
      <SourceHead
        place={place}
        view={data}
        library={library}
        close={close}
        asText={asText}
        setAsText={setPlain}
      />
      <Hits key={place.file} library={library} place={place} open={open} />
      {(data || view.isError) && <Changes view={data} place={place} />}
      {data ? (
        <Body
          view={data}
          place={place}
          opened={opened}
          library={library}
          asText={asText}
          turnTo={(page) => open({ file: place.file, page })}
        />
      ) : (
        <section className={styles.body} aria-label={say.source.content}>
          {view.isPending && <Waiting label={say.source.opening} />}
          {view.isError && <Failure error={view.error} again={() => view.refetch()} />}
        </section>
      )}
    </aside>
  );
}

interface BodyProps {
  view: View;
  place: Place;
  opened: number | undefined;
  library: string;
  asText: boolean;
  turnTo: (page: number) => void;
}

function Body({ view, place, opened, library, asText, turnTo }: BodyProps) {
  const reason = view.why && <p className={styles.reason}>{view.why}</p>;
  const shaped = isShaped(view) && !asText;
  if (shaped && isDrawn(view)) {
    return (
      <>
        {reason}
        <Pages key={view.file} {...{ view, place, opened, library }} />
      </>
    );
  }
  if (shaped && view.kind === "sheet") {
    return (
      <>
        {reason}
        <Suspense fallback={<Waiting label={say.source.opening} />}>
          <SheetTables key={view.file} {...{ view, place, library, turnTo }} />
        </Suspense>
      </>
    );
  }
  if (view.kind === "audio" || view.kind === "video") {
    return (
      <>
        {reason}
        <Recording key={view.file} {...{ view, place, opened, library }} />
      </>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is focusable
    <section className={styles.body} tabIndex={0} aria-label={say.source.content}>
      {reason}
      {shaped && isDocument(view) ? (
        <Suspense fallback={<Waiting label={say.source.opening} />}>
          <Rendered view={view} turnTo={turnTo} />
        </Suspense>
      ) : (
        <TextView view={view} plain={!shaped} turnTo={turnTo} />
      )}
    </section>
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
