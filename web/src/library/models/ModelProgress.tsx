import type { ModelItem } from "../../api/types";
import { say } from "../../language";
import { Progress } from "../../ui/Progress";
import { left, size } from "../words";
import { useTimeLeft } from "./models";
import styles from "./models.module.css";

/** How much of a model is there already, and how long the rest takes. */
export function ModelProgress({ model }: { model: ModelItem }) {
  const seconds = useTimeLeft(model);
  if (!model.fetching) return null;
  const { done_bytes: done, total_bytes: total } = model.fetching;
  return (
    <div className={styles.progress}>
      <Progress label={say.library.models.fetching(model.name)} done={done} total={total || null} />
      <p>
        {total ? say.library.of(size(done), size(total)) : size(done)}
        {seconds !== null && `, ${left(seconds)}`}
      </p>
    </div>
  );
}
