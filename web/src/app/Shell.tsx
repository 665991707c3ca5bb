import {
  IconBooks,
  IconHistory,
  IconMessageCircle,
  IconSearch,
  IconTopologyStar3,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect } from "react";
import { NavLink, Outlet, useLocation, useNavigate, useNavigation } from "react-router";
import { ApiError, get } from "../api/client";
import type { Health } from "../api/types";
import { useSync } from "../library/sync";
import { useSource } from "../source/place";
import { SourcePanel } from "../source/SourcePanel";
import { Notice } from "../ui/Notice";
import { LibraryChoice } from "./LibraryChoice";
import { useLibraries, useLibrary } from "./library";
import styles from "./Shell.module.css";
import { SyncBadge } from "./SyncBadge";
import { ThemeChoice } from "./ThemeChoice";
import { TokenForm } from "./TokenForm";

const PARTS = [
  { to: "/ask", name: "Ask", icon: IconMessageCircle },
  { to: "/search", name: "Search", icon: IconSearch },
  { to: "/library", name: "Library", icon: IconBooks },
  { to: "/conversations", name: "Conversations", short: "Talks", icon: IconHistory },
  { to: "/map", name: "Map", icon: IconTopologyStar3 },
];

/** The frame of every part: where to go, which library, and a source beside what is read. */
export function Shell() {
  const health = useQuery({
    queryKey: ["health"],
    queryFn: ({ signal }) => get<Health>("/health", {}, signal),
    refetchInterval: (query) => (query.state.status === "error" ? 2_000 : 15_000),
    retry: false,
  });
  if (health.error instanceof ApiError && health.error.status === 401) {
    return <TokenForm />;
  }
  return <Frame offline={health.isError} />;
}

function Frame({ offline }: { offline: boolean }) {
  const libraries = useLibraries();
  const library = useLibrary();
  const source = useSource();
  const location = useLocation();
  const navigate = useNavigate();
  const loading = useNavigation().state === "loading";
  const welcome = location.pathname === "/welcome";
  useEffect(() => {
    if (library === null && !welcome) navigate("/welcome", { replace: true });
  }, [library, welcome, navigate]);
  return (
    <div className={styles.shell} data-source={source.place ? "open" : undefined}>
      {/* biome-ignore lint/a11y/useValidAnchor: it does lead to a place, by hand for the router's sake */}
      <a className={styles.skip} href="#content" onClick={focusContent}>
        Skip to the content
      </a>
      <header className={styles.rail}>
        <NavLink to="/ask" className={styles.brand} aria-label="Manole, to the beginning">
          <img src="/favicon.svg" alt="" width="28" height="28" />
          <span>Manole</span>
        </NavLink>
        <nav aria-label="Parts" className={styles.parts}>
          {PARTS.map(({ to, name, short, icon: Icon }) => (
            <NavLink key={to} to={to} className={styles.part} aria-label={name}>
              <Icon size={20} stroke={1.75} aria-hidden />
              <span data-short={short ?? name}>{name}</span>
            </NavLink>
          ))}
        </nav>
        <div className={styles.foot}>
          <LibraryChoice libraries={libraries.data ?? []} chosen={library ?? null} />
          {library && <Syncing name={library.name} />}
          <ThemeChoice />
        </div>
      </header>
      <main id="content" className={styles.content} tabIndex={-1} aria-busy={loading}>
        {offline && (
          <Notice kind="warn" title="Manole does not answer.">
            The page goes on by itself as soon as <code>manole serve</code> runs again.
          </Notice>
        )}
        <Suspense>
          <Outlet />
        </Suspense>
      </main>
      {source.place && library && (
        <SourcePanel place={source.place} library={library.name} close={source.close} />
      )}
    </div>
  );
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
