/** The topics of `claims help`. Their texts load on demand. */
export const HELP_TOPICS = [
  { name: "options", summary: "the options of many commands: service, write and output" },
  { name: "exit-codes", summary: "exit codes and the format of errors" },
  { name: "environment", summary: "environment variables and the precedence of settings" },
  { name: "formatting", summary: "tables, JSON, CSV, fields, files and colour" },
  { name: "entry-files", summary: "the columns of an entry file: required, format and example" },
  { name: "mapping", summary: "the keys of a mapping, for a service that differs" },
  { name: "events", summary: "the four published events, and what none of them says" },
  { name: "headers", summary: "the headers of alias traffic and of deliveries" },
  { name: "cutover", summary: "check the contract and the aliases before a cutover" },
  { name: "signature-causes", summary: "why a webhook signature does not verify, and what to do" },
  { name: "glossary", summary: "rf8Review, routes, grades, urgent and other terms" },
] as const;

export type HelpTopic = (typeof HELP_TOPICS)[number]["name"];
