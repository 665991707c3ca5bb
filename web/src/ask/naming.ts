import { say } from "../language";
// Names of the parts of a turn, each once in a page: who goes from landmark to landmark needs that.

import { createContext, useContext } from "react";

/** The place of the turn that is shown, from 1. */
export const TurnPlace = createContext(1);

/** "Evidence" of the first question, "Evidence of question 2". */
export function useName(name: string): string {
  const place = useContext(TurnPlace);
  return place > 1 ? say.ask.ofQuestion(name, place) : name;
}
