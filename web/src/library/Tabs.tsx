import { Link, useSearchParams } from "react-router";
import { say } from "../language";
import styles from "./library.module.css";

export type Tab = "files" | "models" | "settings";

const TABS: Tab[] = ["files", "models", "settings"];

/** Which tab the address names. */
export function useTab(): Tab {
  const [search] = useSearchParams();
  return TABS.find((tab) => tab === search.get("tab")) ?? "files";
}

/** The address of a tab. What else stands in the address, such as an open source, stays. */
export function toTab(search: URLSearchParams, tab: Tab): { search: string } {
  const changed = new URLSearchParams(search);
  changed.set("tab", tab);
  return { search: changed.toString() };
}

/** Links to the three sections; they are pages of their own to Back and to bookmarks. */
export function Tabs({ chosen }: { chosen: Tab }) {
  const [search] = useSearchParams();
  return (
    <nav aria-label={say.library.sections} className={styles.tabs}>
      {TABS.map((tab) => (
        <Link
          key={tab}
          to={toTab(search, tab)}
          className={styles.tab}
          aria-current={tab === chosen ? "page" : undefined}
        >
          {say.library.tabs[tab]}
        </Link>
      ))}
    </nav>
  );
}
