import type { ModelItem } from "../../api/types";
import { say } from "../../language";
import { size, took } from "../words";
import styles from "./models.module.css";

const SAID = say.library.models;

/** What a model takes of the disk and of the memory, and how soon it answers on this machine. */
export function ModelNumbers({ model }: { model: ModelItem }) {
  const { outlook } = model;
  const seconds = outlook?.first_seconds ?? outlook?.page_seconds;
  return (
    <dl className={styles.numbers}>
      <div>
        <dt>{SAID.size}</dt>
        <dd>{model.size ? size(model.size) : SAID.unknown}</dd>
      </div>
      {outlook && (
        <div>
          <dt>{SAID.memory}</dt>
          <dd>{size(outlook.memory)}</dd>
        </div>
      )}
      {seconds != null && (
        <div>
          <dt>{model.role === "vision" ? SAID.page : SAID.first}</dt>
          <dd>{took(seconds)}</dd>
        </div>
      )}
    </dl>
  );
}
