import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "react-router";
import { get } from "../api/client";
import type { Graph, LibraryItem } from "../api/types";
import { useLibrary } from "../app/library";
import { useSource } from "../source/place";
import { Button } from "../ui/Button";
import { Empty, Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { type Model, modelOf } from "./graph";
import { LEAST_ALIKE } from "./limits";
import { MapView } from "./MapView";
import styles from "./map.module.css";

/** The files of a library as a map: which are alike, name the same things, lie together. */
export function MapPage() {
  const library = useLibrary();
  if (!library) return <Bare>{library === undefined && <Waiting label="Loading" />}</Bare>;
  if (!library.indexed) return <NothingRead />;
  return <LibraryMap key={library.name} library={library} />;
}

function LibraryMap({ library }: { library: LibraryItem }) {
  const { name, updated } = library;
  const graph = useQuery({
    queryKey: ["graph", name, updated], // anew after a sync
    queryFn: ({ signal }) =>
      get<Graph>(`/libraries/${name}/graph`, { threshold: LEAST_ALIKE }, signal),
    placeholderData: (before) => before,
    structuralSharing: false, // it is large, and as a whole old or new
    staleTime: Number.POSITIVE_INFINITY,
  });
  const model = useMemo(() => (graph.data ? modelOf(graph.data) : null), [graph.data]);
  if (model && model.files > 1) return <MapView library={name} model={model} />;
  if (graph.isPending) {
    return (
      <Bare>
        <div className={styles.loading}>
          <Waiting label="Comparing your files" />
          <p>Comparing your files. In a large library the first time takes up to a minute.</p>
        </div>
      </Bare>
    );
  }
  if (!model) {
    return (
      <Bare>
        <Failure error={graph.error} again={() => graph.refetch()} />
      </Bare>
    );
  }
  return model.files === 0 ? <NothingRead /> : <OneFile model={model} />;
}

function NothingRead() {
  return (
    <Bare>
      <Empty title="There is nothing to map yet">
        <p>
          The map shows which of your files are alike, which name the same people, companies or
          accounts, and which lie together. It appears once Manole has read some files.
        </p>
        <p>
          <Link to="/library">See what is read in the library</Link>
        </p>
      </Empty>
    </Bare>
  );
}

function OneFile({ model }: { model: Model }) {
  const source = useSource();
  const file = model.nodes.find((node) => node.kind === "file");
  return (
    <Bare>
      <Empty title="One file makes no map">
        <p>
          The map shows how files relate, and this library has only one that could be read. Add
          another, and it appears here after the next sync.
        </p>
        {file && <Button onClick={() => source.open({ file: file.id })}>Open {file.id}</Button>}
      </Empty>
    </Bare>
  );
}

/** The page without a map. */
function Bare({ children }: { children: React.ReactNode }) {
  return (
    <div className={styles.bare}>
      <h1>Map of files</h1>
      {children}
    </div>
  );
}
