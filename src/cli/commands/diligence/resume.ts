import { confirmProductionWrite } from "../../connection/service.ts";
import { command } from "../../framework/command.ts";
import { requireContractFields } from "../../framework/response-fields.ts";
import { logJobState } from "../../write-log/job-log.ts";
import { writeOptions } from "../../write-log/write-options.ts";
import { failOn } from "./fail-on.ts";
import { followJob, renderFollowedJob } from "./follow.ts";
import { readWrittenJob, renderJob } from "./job.ts";
import { openJob } from "./jobs.ts";
import { jobArgument, last } from "./options.ts";
import { sendResume } from "./send-resume.ts";

export const resume = command({
  name: "resume",
  summary: "resume a partial or failed job",
  remote: "writes",
  waitsForJob: true,
  output: "record",
  operation: ({ diligence }) => diligence.resume,
  arguments: [jobArgument],
  options: {
    ...last,
    wait: { help: "wait until the job ends, then print its report" },
    ...writeOptions,
    ...failOn,
  },
  examples: ["claims diligence resume 7d9c… --wait", "claims diligence resume --last"],
  async run(context, call) {
    const { global, options } = call;
    const { id, service } = await openJob(context, call);
    if (!options.wait) requireContractFields(global.fields, service.operations.diligence.resume);
    await confirmProductionWrite(context, global, service);
    const response = await sendResume(context, service, id, options);
    if (options.wait && !response.failure)
      return renderFollowedJob(await followJob(context, service, global, id, options));
    const job = readWrittenJob(context, id, response);
    await logJobState(context, service, id, job.seen.state);
    return renderJob(job, response.failure);
  },
});
