import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { url } from "../api/client";
import type { View } from "../api/types";
import { IconButton } from "../ui/Button";
import styles from "./source.module.css";

interface PageProps {
  view: View;
  library: string;
  turnTo: (page: number) => void;
}

/** A page as it looks, with the quoted lines marked on it. */
export function PageView({ view, library, turnTo }: PageProps) {
  const [state, setState] = useState<"loading" | "shown" | "broken">("loading");
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
          onLoad={() => setState("shown")}
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
        {state === "broken" && (
          <figcaption>This page cannot be drawn. Its text can be shown instead.</figcaption>
        )}
      </figure>
      {view.pages > 1 && <Pager page={page} pages={view.pages} turnTo={turnTo} />}
    </>
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
