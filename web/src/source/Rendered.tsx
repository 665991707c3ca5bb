import { useEffect, useMemo, useRef } from "react";
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import type { View } from "../api/types";
import { say } from "../language";
import { marking, signed } from "./marking";
import { Pager } from "./Pager";
import styles from "./source.module.css";

// Links and pictures of a document lead out of this machine: they are shown as text.
const COMPONENTS: Components = {
  a: ({ children }) => <span>{children}</span>,
  img: ({ alt }) => <em dir="auto">{alt}</em>,
  table: ({ children }) => (
    <div className={styles.sheet}>
      <table>{children}</table>
    </div>
  ),
};
const FRONT = /^---\n([\s\S]*?)\n---(?=\n|$)/; // fields before the text, which are no heading
const PLUGINS = [remarkGfm, marking];

/** A document as a document: headings, lists, tables; what was quoted is marked. */
export default function Rendered({ view, turnTo }: { view: View; turnTo: (page: number) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const text = useMemo(() => signed(view.text, view.marks), [view]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place is scrolled to anew
  useEffect(() => {
    box.current?.querySelector("mark")?.scrollIntoView({ block: "center" });
  }, [text]);
  return (
    <>
      {view.more_before && <p className={styles.cut}>{say.source.begins}</p>}
      <div ref={box} className={styles.document} dir="auto">
        <Markdown remarkPlugins={PLUGINS} urlTransform={() => ""} components={COMPONENTS}>
          {text.replace(FRONT, (_, fields: string) => `${fields.replaceAll("\n", "  \n")}\n`)}
        </Markdown>
      </div>
      {view.more_after && <p className={styles.cut}>{say.source.goesOn}</p>}
      {view.page !== null && view.pages > 1 && (
        <footer className={styles.foot}>
          <Pager page={view.page} pages={view.pages} label={view.label} turnTo={turnTo} />
        </footer>
      )}
    </>
  );
}
