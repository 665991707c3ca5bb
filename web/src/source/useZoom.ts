import { type RefObject, useEffect, useRef } from "react";
import { keyed, wheeled } from "./zoom";

/** Keys and Ctrl with the wheel, anywhere in the panel; keys that scroll do so from its head, too. */
export function useZoom(
  scroller: RefObject<HTMLElement | null>,
  zoom: number,
  setZoom: (zoom: number) => void,
): void {
  const latest = useRef({ zoom, setZoom });
  latest.current = { zoom, setZoom };
  useEffect(() => {
    const box = scroller.current;
    const panel = box?.closest<HTMLElement>("aside");
    if (!box || !panel) return;
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.altKey || target.closest("input")) return;
      const wanted = keyed(latest.current.zoom, event.key);
      const pages = { PageUp: -1, PageDown: 1 }[event.key];
      if (wanted !== null) latest.current.setZoom(wanted);
      else if (pages && !box.contains(target)) box.scrollBy(0, 0.9 * pages * box.clientHeight);
      else return;
      event.preventDefault();
    };
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault(); // else the whole page grows
      latest.current.setZoom(wheeled(latest.current.zoom, event.deltaY));
    };
    panel.addEventListener("keydown", onKey);
    box.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      panel.removeEventListener("keydown", onKey);
      box.removeEventListener("wheel", onWheel);
    };
  }, [scroller]);
}
