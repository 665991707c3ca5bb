import { useLayoutEffect, useRef } from "react";
import { say } from "../language";
import { Fence } from "../ui/Fence";
import { TurnPlace } from "./naming";
import type { Scope } from "./scope";
import { TurnView } from "./TurnView";
import type { Turn } from "./turn";

interface TurnsProps {
  turns: Turn[];
  library: string;
  conversation: string | undefined;
  /** Words by which the conversation was found. */
  found: string | null;
  busy: boolean;
  ask: (question: string, scope: Scope) => void;
  within: (turn: Turn, file: string) => void;
  edit: (question: string) => void;
  rate: (turn: Turn, rating: "up" | "down" | null) => void;
}

/** The turns of a conversation; a new question, or the last of another one, stands in sight. */
export default function Turns({ turns, found, ask, within, edit, rate, ...rest }: TurnsProps) {
  const list = useRef<HTMLDivElement>(null);
  const conversation = useRef<string | undefined>(undefined); // that was shown last
  const count = turns.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation has another end
  useLayoutEffect(() => {
    if (count === 0) return;
    const opened = conversation.current !== rest.conversation;
    conversation.current = rest.conversation;
    const said = (turn: Turn) => `${turn.question} ${turn.text}`.toLowerCase();
    const at =
      found && opened ? turns.findIndex((turn) => said(turn).includes(found.toLowerCase())) : -1;
    const shown = list.current?.children[at < 0 ? count - 1 : at];
    shown?.scrollIntoView({ block: "start" });
  }, [count, rest.conversation]);
  return (
    <div ref={list}>
      {turns.map((turn, i) => {
        const again = () => ask(turn.question, turn.scope);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same before it is kept and after
          <TurnPlace key={`${i} ${turn.question}`} value={i + 1}>
            <Fence of={turn.state} way={{ label: say.ask.again, run: again, disabled: rest.busy }}>
              <TurnView
                {...rest}
                turn={turn}
                ask={(question) => ask(question, turn.scope)}
                again={again}
                within={(file) => within(turn, file)}
                edit={() => edit(turn.question)}
                rate={(rating) => rate(turn, rating)}
              />
            </Fence>
          </TurnPlace>
        );
      })}
    </div>
  );
}
