// Which part of the page stands behind which address. The parts that are large load when opened.

import type { RouteObject } from "react-router";
import { Navigate } from "react-router";
import { AskPage } from "../ask/AskPage";
import { Broken } from "./Broken";
import { Shell } from "./Shell";

const PARTS = {
  search: async () => (await import("../search")).SearchPage,
  library: async () => (await import("../library")).LibraryPage,
  conversations: async () => (await import("../conversations")).ConversationsPage,
  map: async () => (await import("../map")).MapPage,
  welcome: async () => (await import("../welcome")).WelcomePage,
};

export const routes: RouteObject[] = [
  {
    element: <Shell />,
    errorElement: <Broken />,
    HydrateFallback: () => null, // the first part is in the page itself
    children: [
      {
        errorElement: <Broken />, // what breaks in one part leaves the frame and the others
        children: [
          { index: true, element: <Navigate to="/ask" replace /> },
          { path: "ask/:conversation?", element: <AskPage /> },
          ...Object.entries(PARTS).map(([path, part]) => ({
            path,
            lazy: async () => ({ Component: await part() }),
          })),
          { path: "*", element: <Navigate to="/ask" replace /> },
        ],
      },
    ],
  },
];

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
