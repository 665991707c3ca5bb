import { useLayoutEffect, useRef } from "react";
import { TurnView } from "./TurnView";
import type { Turn } from "./turn";

interface TurnsProps {
  turns: Turn[];
  library: string;
  conversation: string | undefined;
  busy: boolean;
  ask: (question: string) => void;
  within: (turn: Turn, file: string) => void;
  edit: (question: string) => void;
  rate: (turn: Turn, rating: "up" | "down" | null) => void;
}

/** The turns of a conversation; a new question, or the last of another one, stands in sight. */
export default function Turns({ turns, ask, within, edit, rate, ...rest }: TurnsProps) {
  const list = useRef<HTMLDivElement>(null);
  const count = turns.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation has another end
  useLayoutEffect(() => {
    if (count > 0) list.current?.lastElementChild?.scrollIntoView({ block: "start" });
  }, [count, rest.conversation]);
  return (
    <div ref={list}>
      {turns.map((turn, i) => (
        <TurnView
          // biome-ignore lint/suspicious/noArrayIndexKey: the same before it is kept and after
          key={`${i} ${turn.question}`}
          {...rest}
          turn={turn}
          again={() => ask(turn.question)}
          within={(file) => within(turn, file)}
          edit={() => edit(turn.question)}
          rate={(rating) => rate(turn, rating)}
        />
      ))}
    </div>
  );
}
