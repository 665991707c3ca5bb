import type { ModelItem } from "../../api/types";
import { say } from "../../language";
import { size, took } from "../words";
import styles from "./models.module.css";

const SAID = say.library.models;

/** What a model takes of the disk and of the memory, and how long an answer took on this machine. */
export function ModelNumbers({ model }: { model: ModelItem }) {
  const { outlook } = model;
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
      {outlook?.answer_seconds != null && (
        <div>
          <dt>{SAID.answer}</dt>
          <dd>{took(outlook.answer_seconds)}</dd>
        </div>
      )}
    </dl>
  );
}
