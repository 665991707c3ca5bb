import type { Sentences } from "..";

export const renaming: Sentences["renaming"] = {
  label: "Neuer Titel",
  save: "Speichern",
  cancel: "Abbrechen",
};
