// ui
export const ui = {
  again: "Try again",
  wrong: "Something went wrong.",
  broken: "This part of the page broke.",
  close: "Close",
  percent: (n: number) => `${n}%`,
  savedAs: "answer.md",
  offline: "Manole does not answer.",
  offlineHint: "Is `manole serve` still running?",
  serverSaid: (status: number) => `The server said ${status}.`,
};
