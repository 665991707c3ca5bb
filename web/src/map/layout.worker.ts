// Lays the map out off the main thread. The libraries' own workers are made of text, which the
// page's policy forbids.

import { layout, type Task } from "./layout";

const PAUSE = 60; // ms between two steps that are shown
const MANY = 2_000; // nodes; to draw more takes long

self.onmessage = ({ data }: MessageEvent<Task>) => {
  let sent = Number.NEGATIVE_INFINITY;
  const pause = data.places.length > 2 * MANY ? 50 * PAUSE : PAUSE;
  for (const step of layout(data)) {
    if (!step.settled && performance.now() - sent < pause) continue;
    sent = performance.now();
    self.postMessage(step);
  }
};
