import { useQuery } from "@tanstack/react-query";
import { NavLink } from "react-router";
import { get } from "../api/client";
import type { ConversationItem } from "../api/types";
import { isRunning, useTurns } from "../ask/useTalk";
import { say } from "../language";
import { toTalk } from "./library";
import styles from "./Shell.module.css";

const FEW = 6;

/** The last conversations, in the rail: an answer that is being written is one press away. */
export function Recent() {
  const { data } = useQuery({
    queryKey: ["conversations", "recent"],
    queryFn: ({ signal }) =>
      get<{ conversations: ConversationItem[] }>("/conversations", { limit: FEW }, signal),
  });
  const busy = new Set(
    useTurns()
      .filter(isRunning)
      .map(({ conversation }) => conversation),
  );
  const asked = data?.conversations.filter(({ turns }) => turns > 0) ?? [];
  if (asked.length === 0) return null;
  return (
    <nav className={styles.recent} aria-labelledby="recent">
      <h2 id="recent">{say.app.recent}</h2>
      {asked.map((item) => (
        <NavLink
          key={item.id}
          to={toTalk(item)}
          title={item.title}
          data-busy={busy.has(item.id) || undefined}
          aria-label={busy.has(item.id) ? say.app.answering(item.title) : undefined}
        >
          <span>{item.title}</span>
        </NavLink>
      ))}
    </nav>
  );
}
