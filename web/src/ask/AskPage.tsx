import { useCallback, useEffect, useRef, useState } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { useLibrary } from "../app/library";
import { Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import styles from "./ask.module.css";
import { Beginning } from "./Beginning";
import { Composer } from "./Composer";
import { TurnView } from "./TurnView";
import { useConversation } from "./useConversation";

/** Questions and their answers: one conversation. */
export function AskPage() {
  const { conversation } = useParams();
  const navigate = useNavigate();
  const library = useLibrary();
  const [search, setSearch] = useSearchParams();
  const [draft, setDraft] = useState("");
  const [early, setEarly] = useState(false); // asked before the library was known
  const [thorough, setThorough] = useState(false);
  const scope = search.get("scope");
  const field = useRef<HTMLTextAreaElement>(null);
  const end = useRef<HTMLDivElement>(null);

  const onBegun = useCallback(
    (id: string) => navigate({ pathname: `/ask/${id}`, search: location.hash.split("?")[1] ?? "" }),
    [navigate],
  );
  const talk = useConversation(library?.name, conversation, onBegun);
  const { turns, ask } = talk;
  const last = turns.at(-1);
  const busy = last?.state === "running";

  const send = useCallback(
    (question: string) => {
      const text = question.trim();
      if (!text) return;
      setEarly(!library);
      if (!library) return; // the question stays in the field until it can be asked
      setDraft("");
      void ask(text, { thorough, scope });
    },
    [ask, library, thorough, scope],
  );
  useEffect(() => {
    if (early && library) send(draft);
  }, [early, library, send, draft]);

  // A question in the address is asked at once, and once only.
  const given = search.get("q");
  useEffect(() => {
    if (!given || !library) return;
    const rest = new URLSearchParams(search);
    rest.delete("q");
    setSearch(rest, { replace: true });
    send(given);
  }, [given, library, search, setSearch, send]);

  // New words stay in sight, unless the person has scrolled away from the end.
  const grown = `${turns.length} ${last?.text.length ?? 0} ${last?.steps.length ?? 0}`;
  useEffect(() => {
    const box = end.current?.closest("main");
    if (!box || !grown) return;
    const near = box.scrollHeight - box.scrollTop - box.clientHeight < 260;
    if (near) end.current?.scrollIntoView({ block: "end" });
  }, [grown]);

  const edit = (question: string) => {
    setDraft(question);
    field.current?.focus();
  };

  return (
    <div className={styles.page}>
      <h1 className="hidden">Ask your files</h1>
      <div className={styles.turns}>
        {talk.loading && <Waiting label="Loading the conversation" />}
        {turns.length === 0 && !talk.loading && !conversation && library && (
          <Beginning library={library} ask={send} />
        )}
        {turns.map((turn, i) => (
          <TurnView
            // biome-ignore lint/suspicious/noArrayIndexKey: the same before it is kept and after
            key={`${i} ${turn.question}`}
            turn={turn}
            library={library?.name ?? ""}
            conversation={conversation}
            busy={busy}
            again={() => send(turn.question)}
            within={(file) => {
              const rest = new URLSearchParams(search);
              rest.set("scope", file);
              rest.set("q", turn.question);
              setSearch(rest);
            }}
            edit={() => edit(turn.question)}
            rate={(rating) => talk.rate(turn, rating)}
          />
        ))}
        {talk.error ? <Failure error={talk.error} /> : null}
        <p className="hidden" role="status">
          {last?.state === "done" ? "The answer is ready." : ""}
        </p>
        <div ref={end} />
      </div>
      <Composer
        field={field}
        draft={draft}
        setDraft={setDraft}
        send={send}
        stop={talk.stop}
        busy={busy}
        thorough={thorough}
        setThorough={setThorough}
        scope={scope}
        clearScope={() => {
          const rest = new URLSearchParams(search);
          rest.delete("scope");
          setSearch(rest);
        }}
        fresh={turns.length > 0 ? () => navigate("/ask") : undefined}
      />
    </div>
  );
}
