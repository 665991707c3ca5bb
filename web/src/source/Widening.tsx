import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useState } from "react";
import { say } from "../language";
import { keep, kept } from "../ui/kept";
import styles from "./source.module.css";

const KEY = "manole.source-width";
const [LEAST, MOST, USUAL] = [25, 75, 53]; // percent of what the rail leaves

/** The edge of the panel, which can be moved by pointer and by arrow keys; its place is kept. */
export function Widening() {
  const [width, setWidth] = useState(() => Number(kept(KEY)) || USUAL);
  useLayoutEffect(() => {
    document.documentElement.style.setProperty("--source", `${width}`);
    keep(KEY, String(width));
  }, [width]);
  const put = (percent: number) => setWidth(Math.round(Math.min(MOST, Math.max(LEAST, percent))));
  const move = (event: PointerEvent<HTMLElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const rail = document.querySelector("header")?.getBoundingClientRect().right ?? 0;
    put((100 * (innerWidth - event.clientX)) / (innerWidth - rail));
  };
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowLeft: 3, ArrowRight: -3 }[event.key];
    if (!step) return;
    event.preventDefault();
    put(width + step);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      role="separator"
      tabIndex={0}
      className={styles.edge}
      aria-label={say.source.width}
      aria-orientation="vertical"
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-valuenow={width}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={move}
      onKeyDown={keys}
      onDoubleClick={() => setWidth(USUAL)}
    />
  );
}
