import { useQuery } from "@tanstack/react-query";
import { get } from "../api/client";
import type { SimilarFiles } from "../api/types";
import { Failure } from "../ui/Notice";
import { Waiting } from "../ui/Progress";
import type { Model } from "./graph";
import { NodeButton } from "./LinkList";
import styles from "./map.module.css";
import { percent } from "./words";

const MOST = 10;

interface SimilarProps {
  library: string;
  model: Model;
  path: string;
  go: (node: number) => void;
}

/** The files most like one, also those below the map's threshold. */
export function Similar({ library, model, path, go }: SimilarProps) {
  const similar = useQuery({
    queryKey: ["similar", library, path],
    queryFn: ({ signal }) =>
      get<SimilarFiles>(`/libraries/${library}/similar`, { path, limit: MOST }, signal),
  });
  return (
    <div className={styles.links}>
      <h3>Most similar</h3>
      {similar.isPending && <Waiting label="Looking for similar files" />}
      {similar.isError && <Failure error={similar.error} again={() => similar.refetch()} />}
      {similar.data?.results.length === 0 && <p>No file is like this one.</p>}
      <ol className={styles.plain}>
        {similar.data?.results.map(({ file, similarity, why }) => {
          const node = model.byId.get(file);
          const said = why ? `${percent(similarity)}: ${why}` : `${percent(similarity)} alike`;
          return (
            <li key={file}>
              {node === undefined ? (
                <p className={styles.other}>
                  <span>{file}</span>
                  <small>{said}</small>
                </p>
              ) : (
                <NodeButton model={model} node={node} why={said} go={go} />
              )}
            </li>
          );
        })}
      </ol>
    </div>
  );
}
