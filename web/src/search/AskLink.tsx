import { IconMessageCircle } from "@tabler/icons-react";
import { Link } from "react-router";
import { askAbout } from "../ask/scope";
import type { Asking } from "./asking";
import styles from "./search.module.css";

/** Leads to a question about what was found; nothing where there is nothing to name. */
export function AskLink({ library, asking }: { library: string; asking: Asking | null }) {
  if (!asking) return null;
  return (
    <Link className={styles.ask} to={askAbout(library, asking.scope)}>
      <IconMessageCircle size={16} stroke={1.75} aria-hidden /> {asking.name}
    </Link>
  );
}
