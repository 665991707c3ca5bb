/** The query of the address as it is now; what a component was drawn with may lag behind. */
export function searchNow(): URLSearchParams {
  const { hash } = window.location;
  const at = hash.indexOf("?");
  return new URLSearchParams(at < 0 ? "" : hash.slice(at));
}

/** The path of the address as it is now: a part that is still being loaded is there already. */
export function pathNow(): string {
  return window.location.hash.slice(1).split("?")[0] || "/";
}
