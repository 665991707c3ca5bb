// What the server sends: the shapes of `/openapi.json` that the page uses.

export interface LibraryItem {
  name: string;
  roots: string[];
  files: number;
  passages: number;
  updated: string | null;
  problem: string | null;
  default: boolean;
  indexed: boolean;
  exclude: string[];
}

export type FileStatus = "indexed" | "partial" | "skipped" | "failed";

export interface FileItem {
  file: string;
  root: string;
  status: FileStatus;
  reason: string | null;
  format: string | null;
  title: string | null;
  date: string | null;
  modified: string;
  size: number;
  pages: number;
  passages: number;
}

export interface FileList {
  library: string;
  total: number;
  files: FileItem[];
}

export interface LibraryStatus extends FileList {
  counts: Partial<Record<FileStatus, number>>;
  passages: number;
}

export interface SyncProgress {
  stage: string;
  done: number;
  total: number | null;
  rate: number;
  eta_s: number | null;
  current: string | null;
}

export interface SyncState {
  library: string;
  state: "idle" | "running" | "done" | "failed" | "cancelled";
  progress: SyncProgress | null;
  report: Record<string, unknown> | null;
  error: string | null;
  would_drop: boolean; // most files are gone; it takes a yes to let them go
}

export interface Health {
  status: "ok";
  version: string;
  library: string | null;
  model: { name: string; loaded: boolean };
  queue: { turns: number; waiting: number; limit: number; at_once: number };
}

/** Start and end, in Unicode code points. */
export type Span = [number, number];
/** Left, top, right, bottom, as parts of the page. */
export type BoxSides = [number, number, number, number];

export interface FoundPassage {
  file: string;
  page: number | null;
  line: number | null;
  line_end: number | null;
  score: number;
  text: string;
  /** Other files that hold the same text. */
  also: string[];
  title: string | null;
  date: string | null;
  modified: string;
  format: string | null;
  snippet: string;
  marks: Span[];
}

export interface View {
  file: string;
  format: string;
  kind: "pdf" | "image" | "text" | "mail" | "sheet";
  title: string | null;
  date: string | null;
  modified: string;
  size: number;
  page: number | null;
  pages: number;
  label: string | null;
  text: string;
  first_line: number;
  more_before: boolean;
  more_after: boolean;
  marks: Span[];
  boxes: BoxSides[];
  indexed: boolean;
  reason: string | null;
}

export interface TimelineDay {
  date: string;
  files: { file: string; title: string | null; format: string | null }[];
}

export interface Timeline {
  days: TimelineDay[];
  total: number;
  undated: number;
}

export interface Folders {
  path: string;
  parent: string | null;
  home: string;
  folders: { name: string; path: string; files: number | null }[];
}

export interface ModelItem {
  name: string;
  role: "chat" | "embed" | "vision";
  size: number;
  present: boolean;
  in_use: boolean;
  licence: string;
  source: string;
  fetching: { done_bytes: number; total_bytes: number } | null;
  error: string | null;
}

export interface Models {
  models: ModelItem[];
  free_bytes: number;
}

export interface Setting {
  name: string;
  value: string | number | boolean;
  default: string | number | boolean;
  description: string;
  origin: string;
  kind: "bool" | "int" | "choice" | "text";
  choices: string[] | null;
  minimum: number | null;
  maximum: number | null;
  takes_effect: "now" | "next sync" | "restart";
}

export interface SettingsList {
  settings: Setting[];
  file: string;
}

export type Relation = "similarity" | "reference" | "structure";

export interface GraphNode {
  id: string;
  kind: "file" | "folder";
  format: string | null;
  size: number | null;
  date: string | null;
  title: string | null;
}

export type GraphEdge = [number, number, Relation, number, string];

export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
  computed: string;
}

export interface ConversationItem {
  id: string;
  title: string;
  created: string;
  updated: string;
  turns: number;
}

export interface TurnItem {
  n: number;
  question: string;
  scope: string | null;
  asked: string;
  events: TurnEvent[];
  rating: "up" | "down" | null;
  comment: string | null;
}

export interface WholeConversation {
  conversation: ConversationItem;
  turns: TurnItem[];
}

export interface Source {
  n: number;
  file: string;
  page: number | null;
  line: number | null;
  line_end: number | null;
  quote: string;
  cited: boolean;
}

export interface Decision {
  type: "decision";
  step: number;
  tool: string;
  inputs: Record<string, unknown>;
  reasoning: string;
  by: string;
  seconds: number;
}

export interface StatusEvent {
  type: "status";
  message: string;
  debug: boolean;
}

export interface ResultEvent {
  type: "result";
  step: number;
  tool: string;
  name: string;
  payload_type: string;
  objects: Record<string, unknown>[];
  metadata: Record<string, unknown>;
  message: string;
  seconds: number;
}

export interface ErrorEvent {
  type: "error";
  message: string;
  recoverable: boolean;
  suggestion: string | null;
  step: number | null;
  tool: string | null;
}

/** A passage that may hold the answer, as `[n]`, with its deciding sentences marked. */
export interface Extract {
  n: number;
  file: string;
  page: number | null;
  line: number | null;
  line_end: number | null;
  headings: string[];
  text: string;
  marks: Span[];
  /** What may be meant as an instruction to whoever answers. */
  orders: Span[];
  boxes: BoxSides[];
}

/** Shown at once; a second one adds to the first. */
export interface EvidenceEvent {
  type: "evidence";
  extracts: Extract[];
  seconds: number;
}

/** A file that the question may mean; asked again with it as the scope, it is answered. */
export interface Choice {
  n: number;
  file: string;
  page: number | null;
  title: string;
  quote: string;
}

export interface ChoicesEvent {
  type: "choices";
  message: string;
  choices: Choice[];
}

export interface Token {
  type: "token";
  content: string;
}

export interface Complete {
  type: "complete";
  version: number;
  answer: string;
  found: boolean;
  /** "choices": several files may be meant; "nearest": not stated outright, and what is nearest was quoted. */
  outcome: "answered" | "choices" | "nearest" | "nothing";
  sources: Source[];
  confidence: "high" | "medium" | "low";
  grounding: number;
  corrected: boolean;
  signals: Record<string, number>;
  timings: Record<string, number>;
  model_calls: number;
  tokens: { prompt: number; cached: number; completion: number };
}

/** The end of a turn that a person stopped. */
export interface Stopped {
  type: "stopped";
}

/** A question that the server is answering, or was just now. */
export interface TurnState {
  id: string;
  library: string;
  conversation: string | null;
  question: string;
  scope: string | null;
  asked: string;
  state: "running" | "done" | "stopped";
  events: number;
}

/** One line of a stream (`manole.agent.events`). */
export type TurnEvent =
  | Decision
  | StatusEvent
  | ResultEvent
  | ErrorEvent
  | ChoicesEvent
  | EvidenceEvent
  | Token
  | Complete
  | Stopped;

/** Files like one file, the most similar first. */
export interface SimilarFiles {
  results: { file: string; similarity: number; why: string }[];
}

/** What a model is in words, and what is left of a fetch that was stopped. */
export interface ModelItem {
  about: string;
  partial_bytes: number;
}

export interface Setting {
  /** Written, and in force after a restart only. */
  pending: boolean;
}
