import type { LibraryItem } from "../api/types";
import { say } from "../language";
import { ALL, chooseLibrary, libraryCalled, useLibraries } from "./library";
import styles from "./Shell.module.css";

/** Which library is asked. One library needs no choice: it is named only. */
export function LibraryChoice(props: {
  libraries: LibraryItem[];
  chosen: LibraryItem | null;
  className?: string;
}) {
  const { libraries, chosen, className = styles.library } = props;
  if (!chosen) return null;
  if (libraries.length < 2 && chosen.name !== ALL) {
    return (
      <p className={className} title={chosen.roots.join("\n")}>
        {folderName(chosen)}
      </p>
    );
  }
  return (
    <label className={className}>
      <span className="hidden">{say.app.library}</span>
      <select value={chosen.name} onChange={(event) => chooseLibrary(event.target.value)}>
        {libraries.map((library) => (
          <option key={library.name} value={library.name}>
            {folderName(library)}
          </option>
        ))}
        <option value={ALL}>{say.app.allLibraries}</option>
      </select>
    </label>
  );
}

/** Gives the library that something is about its name; null where there is but one. */
export function useAbout(): (item: { library: string }) => string | null {
  const all = useLibraries().data ?? [];
  return ({ library }) => {
    const known = all.length > 1 ? libraryCalled(library, all) : null;
    return known && folderName(known);
  };
}

/** What a library is called: as somebody named it, else by its folders. */
export function folderName(library: LibraryItem): string {
  if (library.name === ALL) return say.app.allLibraries;
  return library.title ?? foldersOf(library);
}

export function foldersOf(library: LibraryItem): string {
  const names = library.roots.map((root) => root.split("/").filter(Boolean).at(-1) ?? root);
  return names.join(", ") || library.name;
}
