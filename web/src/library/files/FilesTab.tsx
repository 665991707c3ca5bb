import { useMemo, useRef, useState } from "react";
import type { LibraryItem } from "../../api/types";
import { folderName } from "../../app/LibraryChoice";
import { ALL as TOGETHER, useLibraries, useLibrary } from "../../app/library";
import { say } from "../../language";
import { Empty, Failure, Notice } from "../../ui/Notice";
import { Waiting } from "../../ui/Progress";
import { folderTree } from "../folders";
import { problemsOf } from "../problems";
import { ALL, type Wanted } from "../rows";
import { isNotIndexed, useFiles, useSync } from "../sync";
import { Excluded } from "./Excluded";
import { FileList } from "./FileList";
import { FolderTree } from "./FolderTree";
import styles from "./files.module.css";
import { Libraries } from "./Libraries";
import { Overview } from "./Overview";
import { Problems } from "./Problems";
import { SyncPanel } from "./SyncPanel";
import { type Leaving, useLeaving } from "./useLeaving";

const SAID = say.library;

/** The folders, what became of their files, and what can be done about it. */
export function FilesTab() {
  const libraries = useLibraries();
  const library = useLibrary();
  const gone = useGone(libraries.data, library);
  if (libraries.isError) return <Failure error={libraries.error} again={libraries.refetch} />;
  if (!library) return <Waiting label={SAID.loading} />;
  return (
    <>
      {gone && <Notice kind="info" title={SAID.gone(gone)} />}
      <Libraries libraries={libraries.data ?? []} chosen={library} />
      <Chosen key={library.name} library={library} />
    </>
  );
}

/** What the library was called that was shown until it was removed, here or elsewhere. */
function useGone(known: LibraryItem[] | undefined, library: LibraryItem | null | undefined) {
  const [shown, setShown] = useState(library);
  const [gone, setGone] = useState<string | null>(null);
  if (library && known && shown?.name !== library.name) {
    setShown(library);
    const left = shown && !known.some(({ name }) => [name, TOGETHER].includes(shown.name));
    setGone(left ? folderName(shown) : null);
  }
  return gone;
}

function Chosen({ library }: { library: LibraryItem }) {
  const sync = useSync(library.name);
  const running = sync.data?.state === "running";
  const files = useFiles(library.name, running);
  const own = useLeaving(library, running);
  const leaving = library.name === TOGETHER ? null : own;
  return (
    <>
      {library.problem && <Notice kind="warn" title={SAID.index(library.problem)} />}
      <SyncPanel library={library} sync={sync} />
      {files.isPending && <Waiting label={SAID.loadingFiles} />}
      {files.isError && isNotIndexed(files.error) && (running ? <BeingRead /> : <NotIndexed />)}
      {files.isError && !isNotIndexed(files.error) && (
        <Failure error={files.error} again={files.refetch} />
      )}
      {files.data && <Known library={library} files={files.data} leaving={leaving} />}
    </>
  );
}

function BeingRead() {
  return (
    <Empty title={SAID.beingRead}>
      <p>{SAID.beingReadHint}</p>
    </Empty>
  );
}

function NotIndexed() {
  return (
    <Empty title={SAID.notIndexed}>
      <p>{SAID.notIndexedHint}</p>
    </Empty>
  );
}

interface KnownProps {
  library: LibraryItem;
  files: NonNullable<ReturnType<typeof useFiles>["data"]>;
  leaving: Leaving | null;
}

function Known({ library, files: { files, counts, passages }, leaving }: KnownProps) {
  const [wanted, setWanted] = useState<Wanted>(ALL);
  const list = useRef<HTMLElement>(null);
  const sync = useSync(library.name);
  const groups = useMemo(() => problemsOf(files), [files]);
  const tree = useMemo(() => folderTree(files), [files]);
  const show = (change: Partial<Wanted>) => {
    setWanted({ ...ALL, ...change });
    list.current?.scrollIntoView();
    list.current?.focus({ preventScroll: true });
  };
  if (files.length === 0 && sync.data?.state === "running") return <BeingRead />;
  if (files.length === 0) {
    return (
      <Empty title={SAID.empty}>
        <p>{SAID.emptyHint}</p>
        {leaving && <Excluded leaving={leaving} />}
      </Empty>
    );
  }
  return (
    <>
      <Overview
        counts={counts}
        passages={passages}
        chosen={wanted.status}
        choose={(status) => show({ status })}
      />
      <Problems
        groups={groups}
        sync={sync.data}
        name={leaving && library.name}
        show={(status) => show({ status })}
      />
      <div className={styles.columns}>
        <FolderTree
          tree={tree}
          chosen={wanted.folder}
          choose={(folder) => setWanted({ ...wanted, folder })}
          leaving={leaving}
        />
        <FileList
          ref={list}
          files={files}
          library={library}
          wanted={wanted}
          setWanted={setWanted}
          leaving={leaving}
        />
      </div>
    </>
  );
}
