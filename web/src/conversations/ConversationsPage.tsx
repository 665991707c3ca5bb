import { useLibraries, useLibrary } from "../app/library";
import { say } from "../language";
import { Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { Conversations } from "./Conversations";
import styles from "./conversations.module.css";

/** What was asked before: to open again, rename, take out or delete. */
export function ConversationsPage() {
  const libraries = useLibraries();
  const library = useLibrary();
  return (
    <div className={styles.page}>
      <h1>{say.conversations.title}</h1>
      {library ? (
        <Conversations key={library.name} library={library.name} />
      ) : libraries.error ? (
        <Failure error={libraries.error} again={() => libraries.refetch()} />
      ) : (
        <Waiting label={say.conversations.opening} />
      )}
    </div>
  );
}
