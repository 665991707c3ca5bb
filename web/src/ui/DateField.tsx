import { isDay } from "./dates";
import { useOwn } from "./own";

interface DateProps {
  label: string;
  value: string;
  change: (day: string) => void;
  className?: string | undefined;
}

/** A day. While its year is typed ("0002", "0020"), nothing changes outside. */
export function DateField({ label, value, change, className }: DateProps) {
  const [text, setText] = useOwn(value);
  const type = (typed: string) => {
    setText(typed);
    if (typed === "" || isDay(typed)) change(typed);
  };
  return (
    <label className={className}>
      {label} <input type="date" value={text} onChange={(event) => type(event.target.value)} />
    </label>
  );
}
