// How a file is shown: drawn as pages, as a document, or as the text that Manole reads.

import type { View } from "../api/types";

// Formats whose text is read as Markdown.
const DOCUMENTS = new Set(
  "markdown docx docm odt pptx pptm odp html xhtml rtf epub doc ppt".split(" "),
);

/** Drawn as it looks: as long as it is there. */
export function isDrawn(view: View): boolean {
  return (view.kind === "pdf" || view.kind === "image") && view.state !== "gone";
}

export function isDocument(view: View): boolean {
  return DOCUMENTS.has(view.format ?? "") && view.text !== "";
}

/** Whether it is shown as more than the text that Manole reads. */
export function isShaped(view: View): boolean {
  const rows = view.kind === "sheet" || view.kind === "mail";
  return isDrawn(view) || isDocument(view) || (rows && view.text !== "");
}
