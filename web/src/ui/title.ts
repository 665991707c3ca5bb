import { useEffect } from "react";

/** What the window is called while a part is shown; without a name, somebody else says it. */
export function useTitle(name: string | undefined): void {
  useEffect(() => {
    if (name) document.title = `${name} – Manole`;
  }, [name]);
}
