import { IconSearch, IconX } from "@tabler/icons-react";
import { useRef } from "react";
import { Link, useSearchParams } from "react-router";
import { say } from "../language";
import { searchNow } from "../ui/address";
import { IconButton } from "../ui/Button";
import { Empty, Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { useTyped } from "../ui/typed";
import styles from "./conversations.module.css";
import { List } from "./List";
import { useConversations } from "./useConversations";

const SAID = say.conversations;
const DEBOUNCE = 200; // ms after the last key
const LONGEST = 200; // characters that the server takes

/** The search field and what it leaves of the list. */
export function Conversations() {
  const [search, setSearch] = useSearchParams();
  const containing = (search.get("q") ?? "").slice(0, LONGEST);
  const field = useRef<HTMLInputElement>(null);
  const write = (text: string, state?: unknown) => {
    const changed = searchNow();
    if (text) changed.set("q", text);
    else changed.delete("q");
    setSearch(changed, { replace: true, state });
  };
  const typed = useTyped(containing, write, DEBOUNCE);
  const found = useConversations(containing);
  const items = found.data?.pages.flatMap((page) => page.conversations);
  const clear = () => {
    typed.type("");
    field.current?.focus();
  };
  if (items?.length === 0 && !containing && !typed.text && !found.isPlaceholderData) {
    return (
      <Empty title={SAID.none}>
        <p>{SAID.noneWhy}</p>
        <p>
          <Link to="/ask">{SAID.ask}</Link>
        </p>
      </Empty>
    );
  }
  return (
    <>
      <search className={styles.field}>
        <IconSearch size={18} stroke={1.75} aria-hidden />
        <input
          ref={field}
          type="search"
          aria-label={SAID.search}
          placeholder={SAID.words}
          autoComplete="off"
          maxLength={LONGEST}
          value={typed.text}
          onChange={(event) => typed.type(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && typed.flush()}
        />
        {typed.text && (
          <IconButton label={SAID.clear} onClick={clear}>
            <IconX size={18} stroke={1.75} aria-hidden />
          </IconButton>
        )}
      </search>
      {found.error && <Failure error={found.error} again={() => found.refetch()} />}
      {!items && !found.error && <Waiting label={SAID.reading} />}
      {items && (
        <List
          items={items}
          containing={containing}
          more={found.hasNextPage ? () => found.fetchNextPage() : null}
          busy={found.isFetchingNextPage}
        />
      )}
    </>
  );
}
