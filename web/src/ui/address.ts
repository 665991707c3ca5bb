/** The query of the address as it is now; what a component was drawn with may lag behind. */
export function searchNow(): URLSearchParams {
  const { hash } = window.location;
  const at = hash.indexOf("?");
  return new URLSearchParams(at < 0 ? "" : hash.slice(at));
}
