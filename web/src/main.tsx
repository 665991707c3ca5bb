import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createHashRouter, RouterProvider } from "react-router";
import { ApiError } from "./api/client";
import { followUpdates, prepare, routes } from "./app/routes";
import { startTheme } from "./app/theme";
import { language } from "./language";
import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";

startTheme();
document.documentElement.lang = language;
window.addEventListener("load", prepare);
followUpdates();

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Only a server that is away may be back in a moment; any other refusal is an answer.
      retry: (count, error) => error instanceof ApiError && error.status === 0 && count < 3,
    },
  },
});

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={createHashRouter(routes)} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
