// How a file is shown: drawn as pages, as a document, or as the text that Manole reads.

import type { View } from "../api/types";

// Formats whose text is read as Markdown.
const DOCUMENTS = new Set(
  "markdown docx docm odt pptx pptm odp html xhtml rtf epub doc ppt".split(" "),
);

export function isDrawn(view: View): boolean {
  return view.kind === "pdf" || view.kind === "image";
}

export function isDocument(view: View): boolean {
  return DOCUMENTS.has(view.format ?? "") && view.text !== "";
}
