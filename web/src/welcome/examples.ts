// Questions to begin with.

/** Questions that the example folder answers: from a contract, a manual, and several invoices. */
export const OF_THE_EXAMPLE = [
  "What is our notice period as tenants?",
  "The boiler shows E04, what does that mean?",
  "How many invoices do I have and which one is the highest?",
];

/** Questions that every folder answers. */
export const OF_ANY_FOLDER = [
  "How many files are there in total?",
  "Show me the five newest files",
  "Which folder has the most files?",
];

/** The address that asks a question. */
export function toAsk(question: string): string {
  return `/ask?${new URLSearchParams({ q: question })}`;
}
