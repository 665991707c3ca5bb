// A scroller of pages: where each stands, which are near, which one is read. What is in sight stays
// there when the panel or the pages change their size.

import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import { type Anchor, anchorAt, GAP, layout, pageAt, scrollOf } from "./layout";

const A4 = Math.SQRT2; // the shape of a page that nobody has seen
const NEAR = 0.8; // of the view's height, above and below it

interface Seen {
  first: number;
  last: number;
  current: number;
}

/** Shows `pages` pages; what `zoom` 1 fits is the scroller's width. */
export function usePages(pages: number, zoom: number) {
  const scroller = useRef<HTMLElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [shapes, setShapes] = useState<ReadonlyMap<number, number>>(new Map());
  const [seen, setSeen] = useState<Seen>({ first: 1, last: 0, current: 1 });
  const anchor = useRef<Anchor>({ page: 1, part: 0, at: GAP });
  const applied = useRef(-1); // where the view was put, not scrolled
  const turned = useRef<number | null>(null); // the page gone to, until the view is scrolled
  const width = Math.round((size.width - 2 * GAP) * zoom);
  const usual = shapes.values().next().value ?? A4;
  const placed = useMemo(() => layout(pages, width, shapes, usual), [pages, width, shapes, usual]);

  const look = useCallback(() => {
    const box = scroller.current;
    if (!box || size.height === 0) return;
    const { scrollTop: top } = box;
    const first = pageAt(placed, top - NEAR * size.height);
    const last = pageAt(placed, top + (1 + NEAR) * size.height);
    const end = top + size.height >= placed.height - 2;
    const read = end && top > 0 ? pages : pageAt(placed, top + size.height / 3);
    const current = turned.current ?? read;
    setSeen((was) =>
      was.first === first && was.last === last && was.current === current
        ? was
        : { first, last, current },
    );
  }, [placed, size.height, pages]);

  const put = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    box.scrollTop = scrollOf(placed, anchor.current);
    applied.current = box.scrollTop;
    look();
  }, [placed, look]);

  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const measure = () => setSize({ width: box.clientWidth, height: box.clientHeight });
    const watch = new ResizeObserver(measure);
    watch.observe(box);
    measure();
    return () => watch.disconnect();
  }, []);

  useLayoutEffect(put, [put]);

  const before = useRef(width);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const middle = box.scrollLeft + box.clientWidth / 2;
    if (before.current > 0) {
      box.scrollLeft = (middle * width) / before.current - box.clientWidth / 2;
    }
    before.current = width;
  }, [width]);

  const onScroll = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    if (Math.abs(box.scrollTop - applied.current) > 1) {
      anchor.current = anchorAt(placed, box.scrollTop, size.height / 3);
      applied.current = -1;
      turned.current = null;
    }
    look();
  }, [placed, size.height, look]);

  const latest = useRef(put);
  latest.current = put;
  const goTo = useCallback((to: Anchor) => {
    anchor.current = to;
    turned.current = to.page;
    latest.current();
  }, []);
  const learn = useCallback((page: number, shape: number) => {
    setShapes((known) => (known.has(page) ? known : new Map(known).set(page, shape)));
  }, []);
  return { scroller, width, height: size.height, placed, seen, onScroll, goTo, learn };
}
