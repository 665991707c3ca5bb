import type { Span, View } from "../api/types";

export interface TextLine {
  number: number;
  text: string;
  /** What is marked of it, in code points from the line's own beginning. */
  marks: Span[];
}

/** The lines of a view, each with its share of the marks. */
export function linesOf(view: Pick<View, "text" | "first_line" | "marks">): TextLine[] {
  let at = 0;
  return view.text.split("\n").map((text, i) => {
    const start = at;
    const length = [...text].length;
    at += length + 1;
    const marks = view.marks
      .filter(([from, to]) => from < start + length && to > start)
      .map(([from, to]): Span => [Math.max(from - start, 0), Math.min(to - start, length)]);
    return { number: view.first_line + i, text, marks };
  });
}
