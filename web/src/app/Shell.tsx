import {
  IconBooks,
  IconCalendarDue,
  IconHistory,
  IconMessageCircle,
  IconSearch,
  IconTopologyStar3,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef } from "react";
import { Link, NavLink, Outlet, useLocation, useNavigate, useNavigation } from "react-router";
import { ApiError } from "../api/client";
import { isRunning, useTurns } from "../ask/useTalk";
import { say } from "../language";
import { useSync } from "../library/sync";
import { useSource } from "../source/place";
import { Fence } from "../ui/Fence";
import { Empty, Notice } from "../ui/Notice";
import { useTitle } from "../ui/title";
import { LanguageChoice } from "./LanguageChoice";
import { LibraryChoice } from "./LibraryChoice";
import { health, LIBRARY, useAddressed, useLibraries, useLibrary } from "./library";
import styles from "./Shell.module.css";
import { Shortcuts } from "./Shortcuts";
import { SyncBadge } from "./SyncBadge";
import { ThemeChoice } from "./ThemeChoice";

// Opened later, and loaded when nothing else is to be done (`prepare`).
const SourcePanel = lazy(async () => ({
  default: (await import("../source/SourcePanel")).SourcePanel,
}));

const Recent = lazy(async () => ({ default: (await import("./Recent")).Recent }));
const TokenForm = lazy(async () => ({ default: (await import("./TokenForm")).TokenForm }));

const PARTS = [
  { to: "/ask", name: say.app.ask, icon: IconMessageCircle },
  { to: "/search", name: say.app.search, icon: IconSearch },
  { to: "/due", name: say.app.due, icon: IconCalendarDue },
  { to: "/library", name: say.app.library, icon: IconBooks },
  {
    to: "/conversations",
    name: say.app.conversations,
    short: say.app.shortConversations,
    icon: IconHistory,
  },
  { to: "/map", name: say.app.map, icon: IconTopologyStar3 },
];

/** The frame of every part: where to go, which library, and a source beside what is read. */
export function Shell() {
  const server = useQuery({
    ...health,
    refetchInterval: (query) => (query.state.status === "error" ? 2_000 : 15_000),
  });
  if (server.error instanceof ApiError && server.error.status === 401) {
    return (
      <Suspense>
        <TokenForm />
      </Suspense>
    );
  }
  return <Frame offline={server.isError} />;
}

function Frame({ offline }: { offline: boolean }) {
  const libraries = useLibraries();
  const library = useLibrary();
  const source = useSource();
  const location = useLocation();
  const navigate = useNavigate();
  const elsewhere = useAddressed(library?.name);
  const running = useTurns().filter(isRunning).length;
  const ask = useLastAsked(location.pathname, location.search, library?.name);
  const welcome = location.pathname === "/welcome";
  const part = PARTS.find(({ to }) => to !== "/ask" && location.pathname.startsWith(to));
  useTitle(welcome ? say.app.welcome : part?.name);
  const loading = useNavigation().state === "loading";
  const first = library === null && location.pathname.startsWith("/ask");
  useEffect(() => {
    if (first) navigate("/welcome", { replace: true });
  }, [first, navigate]);
  // Models and settings are there before any folder is.
  const bare = library === null && !welcome && !/tab=(models|settings)/.test(location.search);
  return (
    <div className={styles.shell} data-source={source.place ? "open" : undefined}>
      {/* biome-ignore lint/a11y/useValidAnchor: it does lead to a place, by hand for the router's sake */}
      <a className={styles.skip} href="#content" onClick={focusContent}>
        {say.app.skip}
      </a>
      <header className={styles.rail}>
        <NavLink to="/ask" className={styles.brand} aria-label={say.app.toBeginning}>
          <img src="/favicon.svg" alt="" width="28" height="28" />
          <span>Manole</span>
        </NavLink>
        <nav aria-label={say.app.parts} className={styles.parts}>
          {PARTS.map(({ to, name, short, icon: Icon }) => {
            const busy = to === "/ask" && running > 0;
            return (
              <NavLink
                key={to}
                to={to === "/ask" ? ask : to}
                className={styles.part}
                aria-label={busy ? say.app.answering(name) : name}
                data-busy={busy || undefined}
              >
                <Icon size={20} stroke={1.75} aria-hidden />
                <span data-short={short ?? name}>{name}</span>
              </NavLink>
            );
          })}
        </nav>
        <Suspense>
          <Recent />
        </Suspense>
        <div className={styles.foot}>
          <LibraryChoice libraries={libraries.data ?? []} chosen={library ?? null} />
          {library && <Syncing name={library.name} />}
          <div className={styles.looks}>
            <ThemeChoice />
            <LanguageChoice />
          </div>
        </div>
      </header>
      <main id="content" className={styles.content} tabIndex={-1} aria-busy={loading}>
        {offline && (
          <Notice kind="warn" title={say.app.awayTitle}>
            {say.app.away} <code>manole serve</code>
          </Notice>
        )}
        {!elsewhere && <Suspense>{bare ? <NoLibrary /> : <Outlet />}</Suspense>}
      </main>
      <Shortcuts close={source.place ? source.close : null} />
      {source.place && library && !elsewhere && (
        <Fence of={source.place.file} way={{ label: say.ui.close, run: source.close }}>
          <Suspense>
            <SourcePanel place={source.place} library={library.name} close={source.close} />
          </Suspense>
        </Fence>
      )}
    </div>
  );
}

/** What a part shows before any folder was chosen. */
function NoLibrary() {
  return (
    <Empty title={say.app.noLibraryTitle}>
      <p>
        <Link to="/welcome">{say.app.noLibrary.choose}</Link>
        {say.app.noLibrary.rest}
      </p>
    </Empty>
  );
}

/** Where Ask leads: to the conversation that was shown last, and from there to a new one. */
function useLastAsked(path: string, search: string, library: string | undefined): string {
  const last = useRef("/ask");
  const asking = path.startsWith("/ask");
  if (asking) last.current = `${path}${search}`;
  const about = new URLSearchParams(last.current.split("?")[1]).get(LIBRARY);
  return asking || (about && about !== library) ? "/ask" : last.current;
}

/** How far a running sync is, at the foot of the rail. */
function Syncing({ name }: { name: string }) {
  const { data } = useSync(name);
  return data?.state === "running" ? <SyncBadge state={data} /> : null;
}

function focusContent(event: { preventDefault: () => void }) {
  event.preventDefault(); // the address after # is the page's own
  document.getElementById("content")?.focus();
}
