import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "react-router";
import { get } from "../api/client";
import type { Graph, LibraryItem } from "../api/types";
import { useLibrary } from "../app/library";
import { say } from "../language";
import { Empty, Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import { type FileGraph, filesOf, graphOf, LEAST_ALIKE } from "./graph";
import { Bare, MapView } from "./MapView";

/** The files of a library as a map: which are alike, name the same things, lie together. */
export function MapPage() {
  const library = useLibrary();
  if (library?.indexed) return <LibraryMap key={library.name} library={library} />;
  return <Bare>{library === undefined ? <Waiting label={say.map.loading} /> : NOTHING_YET}</Bare>;
}

const graphs = new Map<string, FileGraph>(); // the last of each library: files keep their places

function LibraryMap({ library: { name, updated } }: { library: LibraryItem }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["graph", name, updated], // anew after a sync
    queryFn: ({ signal }) =>
      get<Graph>(`/libraries/${name}/graph`, { threshold: LEAST_ALIKE }, signal),
    placeholderData: (before) => before,
    structuralSharing: false, // it is large, and as a whole old or new
    staleTime: Number.POSITIVE_INFINITY,
  });
  const graph = useMemo(() => {
    const made = data && graphOf(data, graphs.get(name));
    if (made) graphs.set(name, made);
    return made;
  }, [name, data]);
  if (graph && filesOf(graph).length > 1) return <MapView library={name} graph={graph} />;
  if (graph) return <Bare>{NOTHING_YET}</Bare>;
  if (error)
    return (
      <Bare>
        <Failure error={error} again={() => refetch()} />
      </Bare>
    );
  return (
    <Bare>
      <Waiting label={say.map.comparing} /> {say.map.comparingLong}
    </Bare>
  );
}

const NOTHING_YET = (
  <Empty title={say.map.nothingYet}>
    <p>{say.map.nothingYetLong}</p>
    <Link to="/library">{say.map.seeLibrary}</Link>
  </Empty>
);
