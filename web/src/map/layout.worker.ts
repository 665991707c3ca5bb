// Lays the map out off the main thread. The libraries' own workers are made of text, which the
// page's policy forbids.

import { layout, type Task } from "./layout";

self.onmessage = ({ data }: MessageEvent<Task>) => self.postMessage(layout(data));
