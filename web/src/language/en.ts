import { count } from "./choice";

/** What the page says, in English; by the part that says it. */
export const en = {
  app: {
    rows: (n: number) => count(n, "row", "rows"),
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
