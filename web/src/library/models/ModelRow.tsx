import { IconCheck, IconDownload, IconPlayerStop } from "@tabler/icons-react";
import type { ModelItem } from "../../api/types";
import { say } from "../../language";
import { Button } from "../../ui/Button";
import { Failure, Notice } from "../../ui/Notice";
import { size } from "../words";
import { ModelNumbers } from "./ModelNumbers";
import { ModelProgress } from "./ModelProgress";
import { bytesLeft, useFetching, useRemoving, useUsing, verdict } from "./models";
import styles from "./models.module.css";

const SAID = say.library.models;

/** A model: what it is, whether it is here, and a button to fetch it. */
export function ModelRow({ model, free }: { model: ModelItem; free: number }) {
  const fetching = useFetching();
  const using = useUsing();
  const removing = useRemoving();
  const large = bytesLeft([model]) > free;
  const begun = model.partial_bytes > 0;
  const wrong = verdict(model);
  return (
    <li className={styles.model}>
      <div className={styles.name}>
        <h3>{model.name}</h3>
        {model.in_use && <span className={styles.used}>{SAID.inUse}</span>}
        {model.recommended && <span className={styles.used}>{SAID.recommended}</span>}
        {wrong && <span className={styles.wrong}>{SAID.verdicts[wrong]}</span>}
      </div>
      {model.about && <p className={styles.about}>{model.about}</p>}
      <ModelNumbers model={model} />
      <dl className={styles.facts}>
        <div>
          <dt>{SAID.licence}</dt>
          <dd>{model.licence}</dd>
        </div>
        <div>
          <dt>{SAID.from}</dt>
          <dd>{model.source}</dd>
        </div>
        {model.pinned_by && (
          <div>
            <dt>{SAID.pinned}</dt>
            <dd>{SAID.pinnedBy(model.pinned_by)}</dd>
          </div>
        )}
      </dl>
      <div className={styles.action}>
        {model.present && (
          <p className={styles.here}>
            <IconCheck size={18} stroke={2} aria-hidden />
            {SAID.here}
          </p>
        )}
        {model.present && !model.in_use && model.role === "chat" && (
          <Button
            kind="primary"
            aria-label={SAID.putToUse(model.name)}
            disabled={using.isPending}
            onClick={() => using.mutate(model.name)}
          >
            {SAID.use}
          </Button>
        )}
        {model.present && !model.in_use && (
          <Button
            kind="quiet"
            aria-label={SAID.removeThis(model.name)}
            disabled={removing.isPending}
            onClick={() => removing.mutate(model.name)}
          >
            {SAID.remove}
          </Button>
        )}
        {model.fetching && (
          <Button onClick={() => fetching.mutate({ name: model.name, stop: true })}>
            <IconPlayerStop size={18} stroke={1.75} aria-hidden />
            {say.library.stop}
          </Button>
        )}
        {!model.present && !model.fetching && (
          <Button
            kind={model.in_use || model.recommended ? "primary" : "plain"}
            aria-label={(begun ? SAID.goOnThis : SAID.fetchThis)(model.name)}
            disabled={fetching.isPending || large}
            onClick={() => fetching.mutate({ name: model.name })}
          >
            <IconDownload size={18} stroke={1.75} aria-hidden />
            {begun ? SAID.goOn : SAID.fetch}
          </Button>
        )}
      </div>
      <div className={styles.told}>
        {model.fetching && <ModelProgress model={model} />}
        {begun && !model.fetching && !model.present && (
          <p className={styles.about}>{SAID.partly(size(model.partial_bytes))}</p>
        )}
        {large && <p className={styles.warn}>{SAID.noRoom}</p>}
        {model.error && !model.fetching && (
          <Notice kind="bad" title={SAID.failed}>
            {model.error}
          </Notice>
        )}
        {fetching.error && <Failure error={fetching.error} />}
        {using.error && <Failure error={using.error} />}
        {removing.error && <Failure error={removing.error} />}
      </div>
    </li>
  );
}
