import { command } from "../../framework/command.ts";
import { logJobState } from "../../write-log/job-log.ts";
import { fetchJob, JOB_COLUMNS, renderJob } from "./job.ts";
import { findSingleId, listEach, openJobs } from "./jobs.ts";
import { jobArguments, last } from "./options.ts";

export const status = command({
  name: "status",
  summary: "show jobs; exits 0 whatever their state",
  remote: "reads",
  output: "list",
  arguments: [jobArguments],
  options: last,
  examples: [
    "claims diligence status 7d9c… --json | jq -r .state",
    "cat ids.txt | claims diligence status - --ndjson",
  ],
  async run(context, call) {
    const { ids, service } = await openJobs(context, call);
    const ask = async (id: string) => {
      const job = await fetchJob(service, id);
      await logJobState(context, service, id, job.seen.state);
      return job;
    };
    const id = findSingleId(ids, call.global);
    return id === null ? listEach(ids, ask, JOB_COLUMNS) : renderJob(await ask(id));
  },
});
