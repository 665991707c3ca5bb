import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { url } from "../api/client";
import type { View } from "../api/types";
import { IconButton } from "../ui/Button";
import styles from "./source.module.css";

const WIDTH = 1000; // of a page, in the units of its words' places

interface PageProps {
  view: View;
  library: string;
  turnTo: (page: number) => void;
}

/** A page as it looks, with the quoted lines marked on it. */
export function PageView({ view, library, turnTo }: PageProps) {
  const [state, setState] = useState<"loading" | "shown" | "broken">("loading");
  const [height, setHeight] = useState(WIDTH);
  const first = useRef<HTMLSpanElement>(null);
  const page = view.page ?? 1;
  const address = url(`/libraries/${library}/pages`, { path: view.file, page, width: 1400 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new picture begins anew
  useEffect(() => setState("loading"), [address]);
  useEffect(() => {
    if (state === "shown" && view.boxes.length > 0) {
      first.current?.scrollIntoView({ block: "center", behavior: "smooth" });
    }
  }, [state, view.boxes]);
  return (
    <>
      <figure className={styles.page} data-state={state}>
        <img
          src={address}
          alt={`Page ${page} of ${view.file}`}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
            setHeight((WIDTH * naturalHeight) / naturalWidth);
            setState("shown");
          }}
          onError={() => setState("broken")}
        />
        {state === "shown" &&
          view.boxes.map(([x0, y0, x1, y1], i) => (
            <span
              key={`${x0} ${y0} ${x1} ${y1}`}
              ref={i === 0 ? first : undefined}
              className={styles.box}
              style={{
                left: `${100 * x0}%`,
                top: `${100 * y0}%`,
                width: `${100 * (x1 - x0)}%`,
                height: `${100 * (y1 - y0)}%`,
              }}
            />
          ))}
        {state === "shown" && <Words lines={view.lines} height={height} />}
        {state === "broken" && (
          <figcaption>
            This page cannot be drawn.
            {view.text && " Its text can be shown instead, by the button above."}
          </figcaption>
        )}
      </figure>
      {view.pages > 1 && <Pager page={page} pages={view.pages} turnTo={turnTo} />}
    </>
  );
}

/** The words of a page over its picture, unseen: they can be selected, copied and found. */
function Words({ lines, height }: { lines: View["lines"]; height: number }) {
  return (
    <svg className={styles.words} viewBox={`0 0 ${WIDTH} ${height}`} aria-hidden>
      {lines.map(({ text, box: [x0, y0, x1, y1] }) => (
        <text
          key={`${x0} ${y0} ${text}`}
          x={x0 * WIDTH}
          y={y0 * height + 0.8 * (y1 - y0) * height}
          fontSize={0.9 * (y1 - y0) * height}
          textLength={(x1 - x0) * WIDTH}
          lengthAdjust="spacingAndGlyphs"
        >
          {text}
        </text>
      ))}
    </svg>
  );
}

interface PagerProps {
  page: number;
  pages: number;
  label?: string | null;
  turnTo: (page: number) => void;
}

/** To the page before, the next one, or any. */
export function Pager({ page, pages, label, turnTo }: PagerProps) {
  const go = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wanted = Number(new FormData(event.currentTarget).get("page"));
    if (wanted >= 1 && wanted <= pages) turnTo(wanted);
  };
  return (
    <nav className={styles.pager} aria-label="Pages">
      <IconButton label="Page before" disabled={page <= 1} onClick={() => turnTo(page - 1)}>
        <IconChevronLeft size={18} aria-hidden />
      </IconButton>
      <form onSubmit={go}>
        <label>
          Page
          <input key={page} name="page" inputMode="numeric" defaultValue={page} size={4} />
        </label>
        of {pages} {label && <em>{label}</em>}
      </form>
      <IconButton label="Next page" disabled={page >= pages} onClick={() => turnTo(page + 1)}>
        <IconChevronRight size={18} aria-hidden />
      </IconButton>
    </nav>
  );
}
