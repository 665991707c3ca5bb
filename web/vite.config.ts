import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { thirdParty } from "./third_party.ts";

const server = process.env.MANOLE_URL ?? "http://127.0.0.1:8137";
const paths = [
  "agentic_search",
  "conversations",
  "folders",
  "health",
  "libraries",
  "models",
  "search",
  "session",
  "settings",
  "turns",
];

const licences = thirdParty();

export default defineConfig({
  plugins: [react(), licences.page],
  build: {
    outDir: "../src/manole/serve/http/web",
    emptyOutDir: true,
    assetsInlineLimit: 0, // the page's policy allows no inline code
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // The first view waits for its language, which needs this, and so cannot wait for it.
            { name: "choice", test: /language[\\/]choice/, priority: 1 },
            // The rest of the first view is one file: thirty small ones compress worse.
            { name: "first", tags: ["$initial"] },
          ],
        },
      },
    },
    target: "es2023",
  },
  worker: { format: "es", plugins: licences.worker },
  // `npm run dev` shows the page with a running `manole serve` behind it.
  server: {
    proxy: Object.fromEntries(
      paths.map((path) => [
        `/${path}`,
        {
          target: server,
          changeOrigin: true,
          headers: { origin: server, "sec-fetch-site": "same-origin" },
        },
      ]),
    ),
  },
});
