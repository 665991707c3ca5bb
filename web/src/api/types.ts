// What the server sends, as its own description has it (`npm run types`), by the names of the page.

import type * as Sent from "./schema";

export type {
  AboutLibrary as About,
  Choice,
  ChoicesEvent,
  Complete,
  Decision,
  DueItem,
  DueList,
  ErrorEvent,
  EventLine as TurnEvent,
  EvidenceEvent,
  Extract,
  FileItem,
  FileList,
  FileView as View,
  FolderList as Folders,
  Found as FoundPassage,
  GraphNode,
  Health,
  KnownConversation as ConversationItem,
  LibraryItem,
  LibraryStatus,
  PageWords,
  ResultEvent,
  SearchResults,
  SettingItem as Setting,
  SettingsList,
  SheetTable,
  SheetView,
  Source,
  SpokenLine,
  Status as FileStatus,
  Suggested,
  SyncProgress,
  SyncState,
  Timeline,
  TimelineDay,
  TranscriptView,
  TurnItem,
  TurnState,
  WeightsItem as ModelItem,
  WeightsList as Models,
  WholeConversation,
} from "./schema";

/** Start and end, in Unicode code points. */
export type Span = Sent.FileView["marks"][number];
/** Left, top, right, bottom, as parts of the page. */
export type BoxSides = Sent.DrawnLine["box"];
export type Graph = Sent.GraphMap;
export type GraphEdge = Sent.GraphMap["edges"][number];
export type Relation = GraphEdge[2];
