// Copying words. The browser's own way is for secure pages only, and a server in the house is none;
// where it is forbidden or not there, the words are copied out of a field, as a person would.

/** Rejects where the browser lets the page copy in neither way. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyFromField(text);
  }
}

function copyFromField(text: string): void {
  const before = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true; // no keyboard comes up for it
  field.style.position = "fixed";
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  if (!copied) throw new Error("the browser lets no page copy");
}
