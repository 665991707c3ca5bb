// What is being written, kept in this tab until it is asked: a page that loads anew loses nothing.

import { useCallback, useState } from "react";

const KEY = "manole.draft";

export function useDraft(): [string, (text: string) => void] {
  const [draft, setDraft] = useState(read);
  const write = useCallback((text: string) => {
    setDraft(text);
    try {
      if (text) sessionStorage.setItem(KEY, text);
      else sessionStorage.removeItem(KEY);
    } catch {
      // Storage is forbidden or full: it stands in the field.
    }
  }, []);
  return [draft, write];
}

function read(): string {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}
