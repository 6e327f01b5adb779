import { command } from "../../framework/command.ts";
import { historyOptions } from "../../write-log/history-options.ts";
import { listWrites, SUBMISSION_COLUMNS, submittedJobOf } from "../../write-log/list-writes.ts";

export const history = command({
  name: "history",
  prints: "Writes",
  summary: "list the submissions and resumes of this machine, newest first; offline",
  output: "list",
  options: historyOptions,
  examples: [
    "claims diligence history",
    "claims diligence history --since 7d --state partial --json",
    "claims diligence history -q --limit 5 | claims diligence status -",
  ],
  run: (context, { global, options }) =>
    listWrites(context, {
      global,
      options,
      isListed: ({ operation }) => operation.startsWith("diligence."),
      columns: SUBMISSION_COLUMNS,
      idOf: submittedJobOf,
    }),
});
