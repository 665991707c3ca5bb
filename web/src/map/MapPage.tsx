import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "react-router";
import { get } from "../api/client";
import type { Graph, LibraryItem } from "../api/types";
import { useLibrary } from "../app/library";
import { say } from "../language";
import { useSource } from "../source/place";
import { Button } from "../ui/Button";
import { Empty, Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { type FileGraph, filesOf, graphOf, LEAST_ALIKE } from "./graph";
import { MapView } from "./MapView";
import styles from "./map.module.css";

/** The files of a library as a map: which are alike, name the same things, lie together. */
export function MapPage() {
  const library = useLibrary();
  if (!library) {
    return <Bare>{library !== null && <Waiting label={say.map.loading} />}</Bare>;
  }
  if (!library.indexed) return <NothingRead />;
  return <LibraryMap key={library.name} library={library} />;
}

function LibraryMap({ library }: { library: LibraryItem }) {
  const { name, updated } = library;
  const answer = useQuery({
    queryKey: ["graph", name, updated], // anew after a sync
    queryFn: ({ signal }) =>
      get<Graph>(`/libraries/${name}/graph`, { threshold: LEAST_ALIKE }, signal),
    placeholderData: (before) => before,
    structuralSharing: false, // it is large, and as a whole old or new
    staleTime: Number.POSITIVE_INFINITY,
  });
  const graph = useMemo(
    () => (answer.data ? remembered(name, answer.data) : null),
    [name, answer.data],
  );
  if (graph && filesOf(graph).length > 1) return <MapView library={name} graph={graph} />;
  if (answer.isPending) {
    return (
      <Bare>
        <div className={styles.loading}>
          <Waiting label={say.map.comparing} />
          <p>{say.map.comparingLong}</p>
        </div>
      </Bare>
    );
  }
  if (!graph) {
    return (
      <Bare>
        <Failure error={answer.error} again={() => answer.refetch()} />
      </Bare>
    );
  }
  const [file] = filesOf(graph);
  return file === undefined ? <NothingRead /> : <OneFile file={file} />;
}

const graphs = new Map<string, FileGraph>();

/** The graph of an answer; files that a library's last one had keep their places. */
function remembered(library: string, answer: Graph): FileGraph {
  const graph = graphOf(answer, graphs.get(library));
  graphs.set(library, graph);
  return graph;
}

function NothingRead() {
  return (
    <Bare>
      <Empty title={say.map.nothingYet}>
        <p>{say.map.nothingYetLong}</p>
        <p>
          <Link to="/library">{say.map.seeLibrary}</Link>
        </p>
      </Empty>
    </Bare>
  );
}

function OneFile({ file }: { file: string }) {
  const source = useSource();
  return (
    <Bare>
      <Empty title={say.map.oneFile}>
        <p>{say.map.oneFileLong}</p>
        <Button onClick={() => source.open({ file })}>{say.map.openNamed(file)}</Button>
      </Empty>
    </Bare>
  );
}

/** The page without a map. */
function Bare({ children }: { children: React.ReactNode }) {
  return (
    <div className={styles.bare}>
      <h1>{say.map.title}</h1>
      {children}
    </div>
  );
}
