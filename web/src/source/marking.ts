// Marks in Markdown: signs that no text has stand around them, and become <mark> when it is parsed.

import type { Nodes, Parent, PhrasingContent, Text } from "mdast";
import type { Span } from "../api/types";

const SIGNS = /[\ue000\ue001]/;
const OPEN = "\ue000";
const CLOSE = "\ue001";
// What makes a line a heading, an item, a quotation or a row has to stay at its beginning.
const SHAPING = /^[\s|:=*_~`-]*$|^\s*(?:```|~~~)/; // rules and fences are words to nobody
const TRAILING = /\s*\|?\s*$/;
const LEADING = /^\s*(?:(?:#{1,6}|[-*+]|\d+[.)]|>)\s+|\|\s*)*/;

const BLOCKS = new Set(["paragraph", "heading", "tableRow"]);

/** The text with signs around what is marked; `marks` count code points and do not overlap. */
export function signed(text: string, marks: readonly Span[]): string {
  const points = [...text.replaceAll(OPEN, "").replaceAll(CLOSE, "")];
  if (points.length !== [...text].length) return text;
  let done = "";
  let at = 0;
  for (const [start, end] of [...marks].sort((a, b) => a[0] - b[0])) {
    if (start < at) continue;
    done += points.slice(at, start).join("");
    const lines = points.slice(start, end).join("").split("\n");
    const whole = start === 0 || points[start - 1] === "\n";
    done += lines.map((line, i) => around(line, i > 0 || whole)).join("\n");
    at = end;
  }
  return done + points.slice(at).join("");
}

function around(line: string, whole: boolean): string {
  if (SHAPING.test(line)) return line;
  const leading = whole ? (LEADING.exec(line)?.[0] ?? "") : "";
  const rest = line.slice(leading.length);
  const trailing = TRAILING.exec(rest)?.[0] ?? "";
  const words = rest.slice(0, rest.length - trailing.length);
  return words ? `${leading}${OPEN}${words}${CLOSE}${trailing}` : line;
}

/** A plugin of remark: what stands between the signs is marked. */
export function marking() {
  return (tree: Nodes) => {
    let inside = false;
    const walk = (node: Nodes): void => {
      if (!("children" in node)) return;
      const parent = node as Parent;
      if (BLOCKS.has(node.type)) inside = false; // each line has its own signs
      parent.children = parent.children.flatMap((child) => {
        if ("value" in child && child.type !== "text" && SIGNS.test(child.value)) {
          child.value = child.value.replaceAll(OPEN, "").replaceAll(CLOSE, "");
          return [child.type === "inlineCode" ? marked(child.value) : child];
        }
        if (child.type !== "text") {
          walk(child as Nodes);
          return [child];
        }
        return split(child.value) as Parent["children"];
      });
    };
    const split = (value: string): PhrasingContent[] => {
      const parts: PhrasingContent[] = [];
      for (const piece of value.split(/([\ue000\ue001])/)) {
        if (piece === OPEN || piece === CLOSE) inside = piece === OPEN;
        else if (piece) parts.push(inside ? marked(piece) : { type: "text", value: piece });
      }
      return parts;
    };
    walk(tree);
  };
}

function marked(value: string): PhrasingContent {
  const text: Text = { type: "text", value };
  return { type: "emphasis", children: [text], data: { hName: "mark" } };
}
