// Arranges the map off the main thread, and sends positions as they change. The next ones go out
// only when the page has given the last array back: a slow page is never flooded.

import { Arrangement } from "./arrange";
import type { FromWorker, ToWorker } from "./messages";

const SLICE = 40; // ms of work between two looks at the messages

let arrangement: Arrangement | null = null;
let spare: Float32Array | null = null;
let quiet = false;
let running = false;

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "back") {
    spare = data.positions;
    return;
  }
  if (data.kind === "graph") {
    arrangement = new Arrangement(data.links, data.known);
    spare = new Float32Array(arrangement.positions.length);
    quiet = data.quiet;
  } else arrangement?.change(data.links);
  if (!arrangement) return;
  tell({ kind: "communities", of: arrangement.communities.slice() });
  if (!quiet) send(arrangement);
  if (!running) run();
};

async function run(): Promise<void> {
  running = true;
  let sent = false;
  while (arrangement && !(arrangement.settled && sent)) {
    const until = performance.now() + SLICE;
    while (!arrangement.settled && performance.now() < until) arrangement.step();
    arrangement.update();
    sent = arrangement.settled || !quiet ? send(arrangement) : false;
    await new Promise((resume) => setTimeout(resume)); // messages come in between
  }
  running = false;
}

/** Sends the positions if the page is ready for them. */
function send({ positions, settled }: Arrangement): boolean {
  if (!spare) return false;
  const copy = spare;
  spare = null;
  copy.set(positions);
  tell({ kind: "positions", positions: copy, settled }, [copy.buffer]);
  return true;
}

function tell(message: FromWorker, handed: Transferable[] = []): void {
  self.postMessage(message, { transfer: handed });
}
