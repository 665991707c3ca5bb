import { say } from "../language";

/** Saves what is at an address of this server, or what is at hand, as a file. */
export function download(what: string | Blob, name?: string): void {
  const link = document.createElement("a");
  link.href = typeof what === "string" ? what : URL.createObjectURL(what);
  link.download = name ?? (typeof what === "string" ? "" : say.ui.savedAs);
  link.click();
  if (typeof what !== "string") setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
