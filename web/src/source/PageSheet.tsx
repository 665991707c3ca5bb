import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { memo, useState } from "react";
import { get, url } from "../api/client";
import type { PageWords, View } from "../api/types";
import { say } from "../language";
import styles from "./pages.module.css";
import { type Place, placed } from "./place";
import { useStays } from "./useStays";
import { Words } from "./Words";
import { pictureWidth } from "./zoom";

interface SheetProps {
  view: View;
  library: string;
  page: number;
  /** What is marked on it. */
  place: Place | null;
  top: number;
  width: number;
  height: number;
  learn: (page: number, shape: number) => void;
}

/** One page: its picture, its words over it, and what is marked. */
export const PageSheet = memo(function PageSheet(props: SheetProps) {
  const { view, library, page, place, top, width, height, learn } = props;
  const [state, setState] = useState<"loading" | "shown" | "broken">("loading");
  const stays = useStays(place !== null);
  const words = useQuery({
    queryKey: ["words", library, view.file, page, place],
    queryFn: ({ signal }) =>
      get<PageWords>(
        `/libraries/${library}/words`,
        { ...placed(place), path: view.file, page },
        signal,
      ),
    enabled: stays,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    placeholderData: keepPreviousData,
  });
  const boxes = words.isError && place ? view.boxes : (words.data?.boxes ?? []);
  const pixels = pictureWidth(width, window.devicePixelRatio);
  return (
    <figure className={styles.page} data-state={state} style={{ top, width, height }}>
      {stays && (
        <img
          src={url(`/libraries/${library}/pages`, { path: view.file, page, width: pixels })}
          alt={say.source.pageOf(page, view.file)}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
            learn(page, naturalHeight / naturalWidth);
            setState("shown");
          }}
          onError={() => setState("broken")}
        />
      )}
      {state === "shown" &&
        !words.isPlaceholderData &&
        boxes.map(([x0, y0, x1, y1]) => (
          <span
            key={`${x0} ${y0} ${x1}`}
            className={styles.box}
            style={{
              left: `${100 * x0}%`,
              top: `${100 * y0}%`,
              width: `${100 * (x1 - x0)}%`,
              height: `${100 * (y1 - y0)}%`,
            }}
          />
        ))}
      {state === "shown" && words.data && <Words lines={words.data.lines} shape={height / width} />}
      {state === "broken" && (
        <figcaption>
          {say.source.notDrawn} {view.text && say.source.textInstead}
        </figcaption>
      )}
    </figure>
  );
});
