import { isDay } from "../ui/dates";
import styles from "./search.module.css";
import { useOwn } from "./useOwn";

/** A day. While its year is typed ("0002", "0020"), nothing changes outside. */
export function DateField(props: { label: string; value: string; change: (day: string) => void }) {
  const { label, value, change } = props;
  const [text, setText] = useOwn(value);
  const type = (typed: string) => {
    setText(typed);
    if (typed === "" || isDay(typed)) change(typed);
  };
  return (
    <label className={styles.label}>
      {label}
      <input type="date" value={text} onChange={(event) => type(event.target.value)} />
    </label>
  );
}
