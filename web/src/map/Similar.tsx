import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { get } from "../api/client";
import type { SimilarFiles } from "../api/types";
import { say } from "../language";
import { Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import type { FileGraph } from "./graph";
import { NodeList } from "./NodeList";

const ASKED = 20; // the map joins a file with its ten nearest, and is joined by others
const TOLD = 10;

/** The files most like one, also weaker ones than the map shows, and what they share with it. */
export function useSimilar(library: string, path: string | null): UseQueryResult<SimilarFiles> {
  return useQuery({
    queryKey: ["similar", library, path],
    queryFn: ({ signal }) =>
      get<SimilarFiles>(`/libraries/${library}/similar`, { path, limit: ASKED }, signal),
    enabled: path !== null,
  });
}

interface SimilarProps {
  similar: UseQueryResult<SimilarFiles>;
  graph: FileGraph;
  go: (path: string) => void;
}

export function Similar({ similar, graph, go }: SimilarProps) {
  if (similar.isPending) return <Waiting label={say.map.lookingSimilar} />;
  if (similar.isError) return <Failure error={similar.error} again={() => similar.refetch()} />;
  const rows = similar.data.results.slice(0, TOLD).map(({ file, similarity, why }) => ({
    path: file,
    why: say.map.alike(say.ui.percent(Math.round(100 * similarity)), why),
  }));
  if (rows.length === 0) return <p>{say.map.noneSimilar}</p>;
  return <NodeList title={say.map.mostSimilar} rows={rows} graph={graph} go={go} />;
}
