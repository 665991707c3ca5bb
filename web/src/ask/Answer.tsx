import type { Nodes, Parent, RootContent } from "mdast";
import { createContext, type ReactNode, useContext } from "react";
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import type { Source } from "../api/types";
import { say } from "../language";
import styles from "./ask.module.css";
import { Citation } from "./Citation";
import { useName } from "./naming";
import { NUMBERS } from "./turn";

const CITE = "cite:";

interface AnswerProps {
  text: string;
  sources: Source[];
  library: string;
  open: (source: Source) => void;
  writing: boolean;
}

type Told = Pick<AnswerProps, "sources" | "library" | "open">;

const Context = createContext<Told>({ sources: [], library: "", open: () => undefined });

// The same for every answer and every word of it, so that nothing is made anew while it is written.
const COMPONENTS: Components = {
  a: ({ href, children }) => <Linked href={href}>{children}</Linked>,
  img: ({ alt }) => <span>{alt}</span>,
  table: ({ children }) => <Table>{children}</Table>,
};
const PLUGINS = [remarkGfm, citations];

/**
 * An answer as Markdown. Its `[n]` open their sources; links to elsewhere and pictures are shown
 * as text, for the words come from a model that read untrusted files.
 */
export function Answer({ text, sources, library, open, writing }: AnswerProps) {
  return (
    <Context value={{ sources, library, open }}>
      <div className={styles.answer} data-writing={writing || undefined}>
        <Markdown
          remarkPlugins={PLUGINS}
          urlTransform={(address) => (address.startsWith(CITE) ? address : "")}
          components={COMPONENTS}
        >
          {text}
        </Markdown>
      </div>
    </Context>
  );
}

function Table({ children }: { children?: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is focusable
    <section className={styles.scroll} tabIndex={0} aria-label={useName(say.ask.table)}>
      <table>{children}</table>
    </section>
  );
}

function Linked({ href, children }: { href: string | undefined; children?: ReactNode }) {
  const { sources, library, open } = useContext(Context);
  const source = sources.find((s) => `${CITE}${s.n}` === href);
  if (source) return <Citation source={source} library={library} open={open} />;
  return <span>{children}</span>;
}

/** Makes a link of each `[n]` in the text. */
function citations() {
  return (tree: Nodes) => walk(tree);
}

function walk(node: Nodes): void {
  if (!("children" in node)) return;
  const parent = node as Parent;
  parent.children = parent.children.flatMap((child) => {
    if (child.type !== "text") {
      if (child.type !== "link") walk(child);
      return [child];
    }
    return cited(child.value);
  });
}

function cited(text: string): RootContent[] {
  const parts: RootContent[] = [];
  let at = 0;
  for (const match of text.matchAll(NUMBERS)) {
    // A no-break space keeps the number on the line of the words that it belongs to.
    const before = text.slice(at, match.index).replace(/\s+$/, "\u00a0");
    if (before) parts.push({ type: "text", value: before });
    const label = { type: "text" as const, value: match[0] };
    parts.push({ type: "link", url: `${CITE}${match[1]}`, children: [label] });
    at = match.index + match[0].length;
  }
  if (at < text.length) parts.push({ type: "text", value: text.slice(at) });
  return parts;
}
