import { useLocation, useNavigate } from "react-router";
import type { LibraryItem } from "../api/types";
import { say } from "../language";
import { ALL, chooseLibrary, LIBRARY } from "./library";
import styles from "./Shell.module.css";

/** Which library is asked. One library needs no choice: it is named only. */
export function LibraryChoice(props: {
  libraries: LibraryItem[];
  chosen: LibraryItem | null;
  className?: string;
}) {
  const { libraries, chosen, className = styles.library } = props;
  const navigate = useNavigate();
  const asking = useLocation().pathname.startsWith("/ask");
  const choose = (name: string) => {
    chooseLibrary(name);
    // A conversation is about one library: another one begins a new conversation.
    if (asking) navigate(`/ask?${new URLSearchParams({ [LIBRARY]: name })}`);
  };
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
      <select value={chosen.name} onChange={(event) => choose(event.target.value)}>
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

/** What a library is called: as somebody named it, else by its folders. */
export function folderName(library: LibraryItem): string {
  if (library.name === ALL) return say.app.allLibraries;
  return library.title ?? foldersOf(library);
}

export function foldersOf(library: LibraryItem): string {
  const names = library.roots.map((root) => root.split("/").filter(Boolean).at(-1) ?? root);
  return names.join(", ") || library.name;
}
