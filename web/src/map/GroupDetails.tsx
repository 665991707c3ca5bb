import { say } from "../language";
import { Ask } from "./Ask";
import type { FileGraph } from "./graph";
import type { Group } from "./groups";
import styles from "./map.module.css";
import { NodeList } from "./NodeList";
import { foldersOf } from "./names";

const TOLD = 4; // folders

interface GroupDetailsProps {
  library: string;
  graph: FileGraph;
  group: Group;
  go: (path: string) => void;
}

/** What a group is made of, a way to ask about it, and its files. */
export function GroupDetails({ library, graph, group, go }: GroupDetailsProps) {
  const { files } = group;
  const folders = foldersOf(files);
  const told = folders.slice(0, TOLD).map(([name, n]) => say.map.ofFolder(name, n));
  return (
    <div className={styles.details}>
      <p>
        {say.map.liesIn(told.join(", "))}
        {folders.length > TOLD && ` ${say.map.andFolders(folders.length - TOLD)}`}
      </p>
      <div className={styles.actions}>
        <Ask library={library} paths={files} label={say.map.askFiles} />
      </div>
      <NodeList
        title={say.map.files}
        rows={files.map((path) => ({ path }))}
        graph={graph}
        go={go}
      />
    </div>
  );
}
