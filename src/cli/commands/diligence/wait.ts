import { command } from "../../framework/command.ts";
import { failOn } from "./fail-on.ts";
import { followJob, renderFollowedJob } from "./follow.ts";
import { JOB_COLUMNS } from "./job.ts";
import { showJobs } from "./jobs.ts";
import { jobArguments, last } from "./options.ts";

export const wait = command({
  name: "wait",
  summary: "wait until jobs end; print the report of one job, the records of several",
  remote: "reads",
  waitsForJob: true,
  output: "list",
  operation: ({ diligence }) => diligence.report,
  arguments: [jobArguments],
  options: { ...last, ...failOn },
  examples: ["claims diligence wait 7d9c… --timeout 2m", "claims diligence wait 7d9c… --fail-on declined"],
  run: (context, call) =>
    showJobs(context, call, {
      fetch: (service, id) => followJob(context, service, call.global, id, call.options),
      render: renderFollowedJob,
      toItem: ({ job, failure }) => ({ ...job, failure }),
      columns: JOB_COLUMNS,
    }),
});
