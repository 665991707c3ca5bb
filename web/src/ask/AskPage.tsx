import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { FOUND, LIBRARY, useLibrary } from "../app/library";
import { say } from "../language";
import { searchNow } from "../ui/address";
import { Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { useTitle } from "../ui/title";
import styles from "./ask.module.css";
import { Beginning, StillReading } from "./Beginning";
import { Composer } from "./Composer";
import { useDraft } from "./draft";
import { scopeOf, withScope } from "./scope";
import type { Conversation } from "./talks";
import { FRESH, useTalk } from "./useTalk";
import { useWays, wayOf, withWay } from "./ways";

const Turns = lazy(() => import("./Turns")); // the first view does without

/** Questions and their answers: one conversation. */
export function AskPage() {
  const { conversation } = useParams();
  const navigate = useNavigate();
  const library = useLibrary();
  const [search, setSearch] = useSearchParams();
  const [draft, setDraft] = useDraft();
  const [early, setEarly] = useState(false); // asked before the library was known
  // The conversation in which something was asked while another answer is written.
  const [waitingIn, setWaitingIn] = useState<Conversation | null>(null);
  const [thorough, setThorough] = useState(false);
  const scope = useMemo(() => scopeOf(search), [search]);
  const ways = useWays();
  const way = wayOf(search, ways);
  const found = search.get(FOUND);
  const field = useRef<HTMLTextAreaElement>(null);

  const { talk, state, begun } = useTalk(library?.name, conversation);
  const { turns } = state;
  const last = turns.at(-1);
  const busy = last?.state === "running";

  const onBegun = useCallback(
    (id: string) => {
      begun(id);
      if (!/^#\/ask(\?|$)/.test(location.hash)) return; // who has left is not called back
      const rest = new URLSearchParams(location.hash.split("?")[1] ?? "");
      rest.set(LIBRARY, talk.state().library);
      navigate({ pathname: `/ask/${id}`, search: rest.toString() }, { replace: true });
    },
    [begun, navigate, talk],
  );
  const send = useCallback(
    (question: string, of = scope) => {
      const text = question.trim();
      setEarly(text !== "" && !library);
      if (!text || !library || talk.answering) return; // it stays where it is until it can be asked
      setDraft("");
      void talk.ask(text, { thorough, scope: of, way }, onBegun);
    },
    [talk, library, thorough, scope, way, onBegun, setDraft],
  );
  useEffect(() => {
    if (early && library) send(draft);
  }, [early, library, send, draft]);
  const waiting = waitingIn === talk;
  useEffect(() => {
    if (waiting && !busy) send(draft);
    if (!busy) setWaitingIn(null);
  }, [waiting, busy, send, draft]);

  // A question in the address is asked at once, and once only.
  const given = search.get("q");
  useEffect(() => {
    // Not before the address names the library: it is written once, with this question in it.
    if (!given || !library || busy || search.get(LIBRARY) !== library.name) return;
    const rest = new URLSearchParams(search);
    rest.delete("q");
    setSearch(rest, { replace: true });
    send(given);
  }, [given, library, busy, search, setSearch, send]);

  useTitle(turns[0]?.question ?? say.ask.ask);

  const edit = (question: string) => {
    setDraft(question);
    field.current?.focus();
  };

  return (
    <div className={styles.page}>
      <h1 className="hidden">{say.ask.heading}</h1>
      <div className={styles.turns}>
        {state.loading && <Waiting label={say.ask.loading} />}
        {turns.length === 0 && !state.loading && !conversation && library && (
          <Beginning library={library} scope={scope} ask={(question) => send(question)} />
        )}
        {turns.length > 0 && (
          <Suspense fallback={<Waiting label={say.ask.loading} />}>
            <Turns
              turns={turns}
              library={library?.name ?? ""}
              conversation={conversation}
              found={found}
              busy={busy}
              ask={send}
              within={(turn, file) => {
                const rest = withScope(search, { ...turn.scope, paths: [file] });
                rest.set("q", turn.question);
                setSearch(rest);
              }}
              edit={edit}
              rate={(turn, rating) => talk.rate(turn, rating)}
            />
          </Suspense>
        )}
        {library && <StillReading library={library} />}
        {state.error ? <Failure error={state.error} /> : null}
        <p className="hidden" role="status">
          {last?.state === "done" ? say.ask.ready : ""}
        </p>
      </div>
      <Composer
        field={field}
        draft={draft}
        setDraft={setDraft}
        send={send}
        stop={() => talk.stop()}
        busy={busy}
        waiting={waiting}
        wait={() => setWaitingIn(draft.trim() ? talk : null)}
        thorough={thorough}
        setThorough={setThorough}
        ways={ways}
        way={way}
        setWay={(chosen) => setSearch(withWay(searchNow(), chosen), { replace: true })}
        library={library}
        scope={scope}
        setScope={(change) => {
          const now = searchNow();
          setSearch(withScope(now, change(scopeOf(now))), { replace: true });
        }}
        fresh={turns.length > 0 ? () => navigate("/ask", FRESH()) : undefined}
      />
    </div>
  );
}
