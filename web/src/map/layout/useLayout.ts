// Runs the layout's worker for a graph. Positions do not pass through React: they go to whoever
// listens, as often as they come.

import { useEffect, useRef, useState } from "react";
import { type Groups, groupsOf, numbered } from "../communities";
import type { Filter, Model } from "../graph";
import { linksFor } from "./links";
import type { FromWorker, ToWorker } from "./messages";
import { Positions, recall, remember } from "./positions";

export interface Layout {
  groups: Groups | null;
  positions: Positions;
  arranging: boolean;
  /** Why there is no layout, if it cannot be. */
  error: string | null;
}

/** The layout of what `filter` shows. It goes on from where nodes stand whenever that changes. */
export function useLayout(library: string, model: Model, filter: Filter): Layout {
  const [positions] = useState(() => new Positions());
  const [found, setFound] = useState<{ model: Model; groups: Groups } | null>(null);
  const [arranging, setArranging] = useState(true);
  const [error, setError] = useState<string | null>(null);
  const worker = useRef<Worker | null>(null);
  const sent = useRef<Filter | null>(null);
  const first = useRef(filter);
  first.current = filter;

  useEffect(() => {
    const own = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
    let before: Int32Array | null = null;
    own.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === "communities") {
        before = numbered(data.of, before, (node) => model.nodes[node]?.kind === "file");
        setFound({ model, groups: groupsOf(model, before) });
        return;
      }
      positions.set(data.positions.slice());
      setArranging(!data.settled);
      say(own, { kind: "back", positions: data.positions }, [data.positions.buffer]);
    };
    own.onerror = (event) => {
      setError(event.message || "The layout could not be started.");
      setFound({ model, groups: groupsOf(model, new Int32Array(model.nodes.length).fill(-1)) });
    };
    setArranging(true);
    setError(null);
    const known = recall(library, model);
    const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
    say(own, { kind: "graph", links: linksFor(model, first.current), known, quiet });
    worker.current = own;
    sent.current = first.current;
    return () => {
      own.terminate();
      worker.current = null;
      if (positions.now) remember(library, model, positions.now);
      positions.now = null;
    };
  }, [library, model, positions]);

  useEffect(() => {
    if (!worker.current || sent.current === filter) return;
    sent.current = filter;
    setArranging(true);
    say(worker.current, { kind: "links", links: linksFor(model, filter) });
  }, [model, filter]);

  return { groups: found?.model === model ? found.groups : null, positions, arranging, error };
}

function say(worker: Worker, message: ToWorker, handed: Transferable[] = []): void {
  worker.postMessage(message, handed);
}
