import type { Span } from "../api/types";
import { pieces } from "./marks";

/** Text with some stretches highlighted. `marks` count Unicode code points, as the server does. */
export function Marked({ text, marks }: { text: string; marks: readonly Span[] }) {
  return pieces(text, marks).map(({ text, marked, start }) =>
    marked ? <mark key={start}>{text}</mark> : <span key={start}>{text}</span>,
  );
}
