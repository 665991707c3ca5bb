import type { Sentences } from "..";
import { count } from "../choice";

export const due: Sentences["due"] = {
  title: "Was fällig ist",
  soon: "Bald fällig",
  all: "Alles, was fällig ist",
  ahead: "Vorausschau",
  span: (days: number) =>
    days < 365 ? `${days} Tage` : count(Math.round(days / 365), "Jahr", "Jahre"),
  save: "Als Kalender speichern",
  waiting: "Sucht nach Tagen, auf die es ankommt",
  nothing: (days: number) =>
    days < 365
      ? `In den nächsten ${days} Tagen ist nichts fällig`
      : days === 365
        ? "Im nächsten Jahr ist nichts fällig"
        : `In den nächsten ${count(Math.round(days / 365), "Jahr", "Jahren")} ist nichts fällig`,
  looked:
    "Angesehen wurden Zahlungen, Verträge, Aufgaben, Kalender, Briefe und Mails, soweit sie gelesen sind.",
  lists: {
    past: () => "Vorbei, und nicht als erledigt bekannt",
    soon: (days: number) => `In den nächsten ${days} Tagen`,
    later: (_: number, day: string) => `Bis ${day}`,
    unsure: () => "Nicht sicher",
  },
  unsure: "Der nächste solche Tag, nachdem der Brief, die Mail oder die Liste geschrieben wurde.",
  kinds: {
    pay: "Zu zahlen",
    get: "Zu bekommen von",
    ends: "Endet",
    renews: "Verlängert sich",
    cancel: "Letzter Tag zum Kündigen",
    task: "Zu tun",
    event: "",
    said: "",
  },
  how: {
    begins: (day: string, length: string) =>
      length ? `Beginn am ${day}; ${length} vor Ende eines Vertragsjahres` : `Beginn am ${day}`,
    before: (day: string, length: string) => `${length} vor dem ${day}`,
    after: (day: string, length: string) => `${length} ab dem ${day}`,
    yearly: "Jedes Jahr",
  },
  units: {
    days: ["Tag", "Tage"],
    weeks: ["Woche", "Wochen"],
    months: ["Monat", "Monate"],
    quarters: ["Quartal", "Quartale"],
    years: ["Jahr", "Jahre"],
  },
};
