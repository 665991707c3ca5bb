import { app } from "./app";
import { ask } from "./ask";
import { conversations } from "./conversations";
import { due } from "./due";
import { library } from "./library";
import { map } from "./map";
import { renaming } from "./renaming";
import { search } from "./search";
import { source } from "./source";
import { ui } from "./ui";
import { welcome } from "./welcome";

/** What the page says in English; one file for each part that says it. */
export const en = {
  app,
  ask,
  conversations,
  due,
  renaming,
  library,
  map,
  search,
  source,
  ui,
  welcome,
};
