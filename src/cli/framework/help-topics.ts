/** What `claims help <topic>` explains; the texts themselves are loaded when they are asked for. */
export const HELP_TOPICS = [
  { name: "exit-codes", summary: "what each exit code means, and the form of an error" },
  { name: "environment", summary: "the variables that are read, and what wins over what" },
  { name: "formatting", summary: "tables, JSON, CSV, fields, files and colour" },
  { name: "credentials", summary: "how to give a credential, and where it is sent" },
  { name: "signature-causes", summary: "why a webhook signature does not fit, and what to do" },
] as const;

export type HelpTopic = (typeof HELP_TOPICS)[number]["name"];
