import { memo } from "react";
import type { PageWords } from "../api/types";
import styles from "./pages.module.css";

const WIDTH = 1000; // of a page, in the units of its words' places

/** The words of a page over its picture, unseen: they can be selected, copied and found. */
export const Words = memo(function Words(props: { lines: PageWords["lines"]; shape: number }) {
  const height = WIDTH * props.shape;
  return (
    <svg className={styles.words} viewBox={`0 0 ${WIDTH} ${height}`} aria-hidden>
      {props.lines.map(({ box: [x0, y0, , y1], words }) => (
        <text
          key={`${x0} ${y0} ${words[0]?.text}`}
          y={y0 * height + 0.8 * (y1 - y0) * height}
          fontSize={0.9 * (y1 - y0) * height}
        >
          {words.map(({ text, left, right }) => (
            <tspan
              key={left}
              x={left * WIDTH}
              textLength={Math.max((right - left) * WIDTH, 1)}
              lengthAdjust="spacingAndGlyphs"
            >
              {`${text} `}
            </tspan>
          ))}
        </text>
      ))}
    </svg>
  );
});
