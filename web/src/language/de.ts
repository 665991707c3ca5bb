import type { Sentences } from ".";
import { count } from "./choice";

/** What the page says, in German. */
export const de: Sentences = {
  app: {
    rows: (n: number) => count(n, "Zeile", "Zeilen"),
  },

  // ask

  ask: {},

  // conversations

  conversations: {},

  // library

  library: {},

  // map

  map: {},

  // search

  search: {},

  // source

  source: {},

  // ui

  ui: {},

  // welcome

  welcome: {},
};
