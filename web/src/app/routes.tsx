// Which part of the page stands behind which address. The parts that are large load when opened.

import type { RouteObject } from "react-router";
import { Navigate } from "react-router";
import { AskPage } from "../ask/AskPage";
import { Broken } from "./Broken";
import { Shell } from "./Shell";

export const routes: RouteObject[] = [
  {
    element: <Shell />,
    errorElement: <Broken />,
    HydrateFallback: () => null, // the first part is in the page itself
    children: [
      { index: true, element: <Navigate to="/ask" replace /> },
      { path: "ask/:conversation?", element: <AskPage /> },
      { path: "search", lazy: async () => ({ Component: (await import("../search")).SearchPage }) },
      {
        path: "library",
        lazy: async () => ({ Component: (await import("../library")).LibraryPage }),
      },
      {
        path: "conversations",
        lazy: async () => ({ Component: (await import("../conversations")).ConversationsPage }),
      },
      { path: "map", lazy: async () => ({ Component: (await import("../map")).MapPage }) },
      {
        path: "welcome",
        lazy: async () => ({ Component: (await import("../welcome")).WelcomePage }),
      },
      { path: "*", element: <Navigate to="/ask" replace /> },
    ],
  },
];
