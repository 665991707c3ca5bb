import { count } from "../choice";

// due
export const due = {
  title: "What is due",
  soon: "Due soon",
  all: "All that is due",
  ahead: "Look ahead",
  span: (days: number) =>
    days < 365 ? `${days} days` : count(Math.round(days / 365), "year", "years"),
  save: "Save as calendar",
  waiting: "Looking for days that matter",
  nothing: (days: number) =>
    days < 365
      ? `Nothing is due in the next ${days} days`
      : `Nothing is due in the next ${count(Math.round(days / 365), "year", "years")}`,
  looked:
    "Payments, contracts, tasks, calendars, letters and mails were looked at, as far as they are read.",
  lists: {
    past: () => "Past, and not known to be done",
    soon: (days: number) => `In the next ${days} days`,
    later: (_: number, day: string) => `Until ${day}`,
    unsure: () => "Not sure",
  },
  unsure: "The next such day after the letter, mail or list was written.",
  kinds: {
    pay: "To pay",
    get: "To be paid by",
    ends: "Ends",
    renews: "Goes on",
    cancel: "Last day to cancel",
    task: "To do",
    event: "",
    said: "",
  },
  how: {
    begins: (day: string, length: string) =>
      length ? `Began on ${day}; ${length} before a year of it ends` : `Began on ${day}`,
    before: (day: string, length: string) => `${length} before ${day}`,
    after: (day: string, length: string) => `${length} from ${day}`,
    yearly: "Each year",
  },
  units: {
    days: ["day", "days"],
    weeks: ["week", "weeks"],
    months: ["month", "months"],
    quarters: ["quarter", "quarters"],
    years: ["year", "years"],
  } as Record<string, [string, string]>,
};
