import { command } from "../../framework/command.ts";
import { logJobState } from "../../write-log/job-log.ts";
import { fetchJob, JOB_COLUMNS, renderJob } from "./job.ts";
import { showJobs } from "./jobs.ts";
import { jobArguments, last } from "./options.ts";

export const status = command({
  name: "status",
  summary: "show jobs; exits 0 in every state",
  remote: "reads",
  output: "list",
  operation: ({ diligence }) => diligence.status,
  arguments: [jobArguments],
  options: last,
  examples: [
    "claims diligence status 7d9c… --json | jq -r .state",
    "cat ids.txt | claims diligence status - --ndjson",
  ],
  run: (context, call) =>
    showJobs(context, call, {
      async fetch(service, id) {
        const job = await fetchJob(service, id);
        await logJobState(context, service, id, job.seen.state);
        return job;
      },
      render: (job) => renderJob(job),
      toItem: (job) => job,
      columns: JOB_COLUMNS,
    }),
});
