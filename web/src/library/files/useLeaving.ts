// Leaving folders and files out of a library, and taking them back.

import { useState } from "react";
import type { LibraryItem } from "../../api/types";
import { say } from "../../language";
import { patternFor, patternInWords } from "../folders";
import { useExclude } from "../sync";

/** All libraries at once leave nothing out: there is none for them. */
export interface Leaving {
  patterns: string[];
  busy: boolean;
  error: unknown;
  said: string | null; // what was changed last
  leaveOut: (path: string, kind: "file" | "folder") => void;
  takeBack: (pattern: string) => void;
  undo: () => void;
}

/** `running`: a sync of the library is under way. */
export function useLeaving(library: LibraryItem, running: boolean): Leaving {
  const change = useExclude(library.name, running);
  const [last, setLast] = useState<{ said: string; before: string[] } | null>(null);
  const patterns = library.exclude;
  const set = (wanted: string[], said: string | null) => {
    change.mutate(wanted, {
      onSuccess: () => setLast(said ? { said, before: patterns } : null),
    });
  };
  return {
    patterns,
    busy: change.isPending,
    error: change.error,
    said: last?.said ?? null,
    leaveOut: (path, kind) => {
      const pattern = patternFor(path, kind);
      if (!patterns.includes(pattern))
        set([...patterns, pattern], say.library.excluded.leftOut(path));
    },
    takeBack: (pattern) => {
      const kept = patterns.filter((other) => other !== pattern);
      set(kept, say.library.excluded.readAgain(patternInWords(pattern).text));
    },
    undo: () => last && set(last.before, null),
  };
}
