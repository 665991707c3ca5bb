export const renaming = { label: "New title", save: "Save", cancel: "Cancel" };
