// Which part of the page stands behind which address. The parts that are large load when opened.

import type { RouteObject } from "react-router";
import { redirect } from "react-router";
import { AskPage } from "../ask/AskPage";
import { Broken } from "./Broken";
import { Shell } from "./Shell";

const JUST_MS = 5_000;

const PARTS = {
  search: async () => (await import("../search")).SearchPage,
  library: async () => (await import("../library")).LibraryPage,
  due: async () => (await import("../due")).DuePage,
  conversations: async () => (await import("../conversations")).ConversationsPage,
  map: async () => (await import("../map")).MapPage,
  welcome: async () => (await import("../welcome")).WelcomePage,
};

/** Decided before anything is drawn: the frame, too, writes the address (`useAddressed`). */
const toAsk = () => redirect("/ask");

export const routes: RouteObject[] = [
  {
    element: <Shell />,
    errorElement: <Broken />,
    HydrateFallback: () => null, // the first part is in the page itself
    children: [
      {
        errorElement: <Broken />, // what breaks in one part leaves the frame and the others
        children: [
          { index: true, loader: toAsk },
          { path: "ask/:conversation?", element: <AskPage /> },
          ...Object.entries(PARTS).map(([path, part]) => ({
            path,
            lazy: async () => ({ Component: await part() }),
          })),
          { path: "*", loader: toAsk },
        ],
      },
    ],
  },
];

/**
 * An update of the server names the parts of the page anew, and an open tab asks for them by their
 * old names: it is loaded again. Not where the server is away, nor for what was loaded just now.
 */
export function followUpdates(): void {
  window.addEventListener("vite:preloadError", async () => {
    if (performance.now() < JUST_MS) return;
    const there = await fetch("/health").then(
      ({ ok }) => ok,
      () => false,
    );
    if (there) location.reload();
  });
}

/** Load the other parts while nothing else is to be done: then they open without the server. */
export function prepare(): void {
  const idle = window.requestIdleCallback ?? ((then: () => void) => setTimeout(then, 2_000));
  idle(() => {
    const later = [
      () => import("../ask/Turns"),
      () => import("../ask/Answer"),
      () => import("../source/SourcePanel"),
    ];
    for (const load of [...Object.values(PARTS), ...later]) load().catch(() => undefined);
  });
}
