// The settings that a page may change: their names in plain words, and what a value means.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { change, get } from "../../api/client";
import type { ModelItem, Setting, SettingsList } from "../../api/types";
import { say } from "../../language";

export type Value = Setting["value"];
type Said = Pick<Setting, "name" | "description">;

/** The settings, and the file that they are written to. */
export function useSettings() {
  return useQuery({
    queryKey: ["settings"],
    queryFn: ({ signal }) => get<SettingsList>("/settings", {}, signal),
  });
}

/** Write one setting; null takes it out of the file. They wait for each other, as they share one. */
export function useSave(name: string) {
  const queries = useQueryClient();
  return useMutation({
    scope: { id: "settings" },
    mutationFn: (value: Value | null) => change("PATCH", "/settings", { [name]: value }),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ["settings"] }),
        queries.invalidateQueries({ queryKey: ["models"] }),
      ]),
  });
}

const SAID = say.library.settings;

/** What a setting is called. */
export function titleOf({ name }: Said): string {
  if (SAID.titles[name]) return SAID.titles[name];
  const words = name.slice(name.indexOf(".") + 1).replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value in words. */
export function inWords({ name, kind }: Setting, value: Value): string {
  if (kind === "bool") return value ? SAID.isOn : SAID.isOff;
  return SAID.choices[name]?.[String(value)] ?? String(value);
}

/** The description as a sentence. What stands between backquotes is code. */
export function sentence({ name, description }: Said): string {
  const text = (SAID.abouts[name] ?? description).trim();
  if (!text) return "";
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

/** When a change is in force. */
export function effectOf({ takes_effect }: Setting): string {
  return SAID.takesEffect[takes_effect];
}

/** What brings back a setting as it is now: its value, or that nobody set it. */
export function asItIs({ origin, value }: Setting): Value | null {
  return origin === "default" ? null : value;
}

/** Where a value comes from that cannot be changed here; null for one that can. */
export function fixedBy({ origin }: Setting): string | null {
  const variable = /^environment(?: \((.+)\))?$/.exec(origin);
  if (variable) return SAID.byEnvironment(variable[1]);
  if (/^(flag|command line)/.test(origin)) return SAID.byFlag;
  return null;
}

/** What stands in a field as a value, or what is wrong with it. */
export function parse(setting: Setting, typed: string): { value: Value } | { wrong: string } {
  const { kind, minimum, maximum } = setting;
  const text = typed.trim();
  if (kind !== "int") return text ? { value: text } : { wrong: SAID.something };
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value)) {
    return { wrong: SAID.wholeNumber };
  }
  if (minimum !== null && value < minimum) return { wrong: SAID.atLeast(minimum) };
  if (maximum !== null && value > maximum) return { wrong: SAID.atMost(maximum) };
  return { value };
}

export interface SettingGroup {
  name: string;
  settings: Setting[];
}

/** What a person decides; all else is advanced. */
const GROUPS: [string, string[]][] = [
  [SAID.groups.answers, ["model.name", "agent.thorough", "agent.keep_conversations"]],
  [SAID.groups.reading, ["index.ocr", "vision.name", "watch.enabled"]],
  [SAID.groups.machine, ["model.download", "model.gpu", "watch.on_battery"]],
];

/** The settings that a person decides, by what they are about. */
export function grouped(settings: readonly Setting[]): SettingGroup[] {
  return GROUPS.map(([name, names]) => ({
    name,
    settings: names.flatMap((one) => settings.find((setting) => setting.name === one) ?? []),
  })).filter((group) => group.settings.length > 0);
}

/** The others, as far as they have these words in their name or in what is said of them. */
export function advanced<S extends Said>(settings: readonly S[], containing: string): S[] {
  const decided = new Set(GROUPS.flatMap(([, names]) => names));
  const words = containing.toLowerCase().split(/\s+/);
  return settings.filter((setting) => {
    const text = `${setting.name} ${titleOf(setting)} ${sentence(setting)}`.toLowerCase();
    return !decided.has(setting.name) && words.every((word) => text.includes(word));
  });
}

/** A model is chosen among those that are here. */
export function withChoices(setting: Setting, models: readonly ModelItem[]): Setting {
  const role = { "model.name": "chat", "vision.name": "vision" }[setting.name];
  if (!role) return setting;
  const here = models.filter((model) => model.role === role && model.present);
  const usual = role === "vision" ? ["auto", "off"] : ["auto"];
  return { ...setting, kind: "choice", choices: [...usual, ...here.map(({ name }) => name)] };
}
