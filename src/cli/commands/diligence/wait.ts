import { command } from "../../framework/command.ts";
import { followJob, renderFollowedJob } from "./follow.ts";
import { JOB_COLUMNS } from "./job.ts";
import { findSingleId, listEach, openJobs } from "./jobs.ts";
import { failOn, jobArguments, last } from "./options.ts";

export const wait = command({
  name: "wait",
  summary: "wait for the end of a job and print its report; of several jobs, their records",
  remote: "reads",
  waitsForJob: true,
  output: "list",
  arguments: [jobArguments],
  options: { ...last, ...failOn },
  examples: ["claims diligence wait 7d9c… --timeout 2m", "claims diligence wait 7d9c… --fail-on declined"],
  async run(context, call) {
    const { global, options } = call;
    const { ids, service } = await openJobs(context, call);
    const follow = (id: string) => followJob(context, service, global, id, options.failOn);
    const id = findSingleId(ids, global);
    if (id !== null) return renderFollowedJob(await follow(id));
    return listEach(
      ids,
      async (each) => {
        const { job, failure } = await follow(each);
        return { ...job, failure };
      },
      JOB_COLUMNS,
    );
  },
});
