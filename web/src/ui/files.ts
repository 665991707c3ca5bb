// What a path says of a file: its name, its folder, which kind of thing it is.

export type FileKind =
  | "pdf"
  | "image"
  | "sheet"
  | "mail"
  | "slides"
  | "calendar"
  | "contact"
  | "unread"
  | "text";

const KINDS: [FileKind, string][] = [
  ["pdf", "pdf"],
  ["image", "png jpg jpeg gif webp tif tiff bmp heic jp2 jpeg2000 svg"],
  ["sheet", "xlsx xls xlsm ods csv tsv"],
  ["mail", "eml msg mbox email"],
  ["slides", "pptx ppt odp"],
  ["calendar", "ics calendar"],
  ["contact", "vcf contacts"],
  ["unread", "empty unknown binary archive audio video program font database"],
];
const KIND = new Map(
  KINDS.flatMap(([kind, names]) => names.split(" ").map((name) => [name, kind])),
);

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The folder that `path` stands in; "" at the top. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

/** By the format that the server found, else by the name's ending. */
export function kindOf(path: string, format: string | null): FileKind {
  const name = fileName(path);
  const ending = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return KIND.get(format ?? "") ?? KIND.get(ending) ?? "text";
}
