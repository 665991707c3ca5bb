import { say } from "../language";
import { Conversations } from "./Conversations";
import styles from "./conversations.module.css";

/** What was asked before, of whichever library: to open again, rename, take out or delete. */
export function ConversationsPage() {
  return (
    <div className={styles.page}>
      <h1>{say.conversations.title}</h1>
      <Conversations />
    </div>
  );
}
