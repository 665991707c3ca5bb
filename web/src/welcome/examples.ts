/** The address that asks a question. */
export function toAsk(question: string): string {
  return `/ask?${new URLSearchParams({ q: question })}`;
}
