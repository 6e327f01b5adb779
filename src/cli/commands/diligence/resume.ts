import { confirmProductionWrite } from "../../connection/service.ts";
import { command } from "../../framework/command.ts";
import { idempotencyKeyOption } from "../../framework/values.ts";
import { hashContent } from "../../write-log/describe-write.ts";
import { logJobState } from "../../write-log/job-log.ts";
import { sendLogged } from "../../write-log/send-logged.ts";
import { failOn } from "./fail-on.ts";
import { followJob, renderFollowedJob } from "./follow.ts";
import { addJobId, readWrittenJob, renderJob } from "./job.ts";
import { openJob } from "./jobs.ts";
import { jobArgument, last } from "./options.ts";

export const resume = command({
  name: "resume",
  summary: "resume a partial or failed job",
  remote: "writes",
  waitsForJob: true,
  output: "record",
  arguments: [jobArgument],
  options: {
    ...last,
    wait: { help: "wait until the job ends, then print its report" },
    ...idempotencyKeyOption,
    ...failOn,
  },
  examples: ["claims diligence resume 7d9c… --wait", "claims diligence resume --last"],
  async run(context, call) {
    const { global, options } = call;
    const { id, service } = await openJob(context, call);
    await confirmProductionWrite(context, global, service);
    const { client, operations } = service;
    const { resume: operation } = operations.diligence;
    const params = { jobId: id };
    const write = {
      operation: operation.id,
      content: await hashContent({ operation: operation.id, params }),
      seller: null,
      file: null,
      bytes: null,
      jobIdOf: () => id,
      given: options.idempotencyKey,
    };
    const send = (idempotencyKey: string) => client.send(operation, { params, idempotencyKey });
    const response = await addJobId(id, () => sendLogged(context, service, write, send));
    if (options.wait) return renderFollowedJob(await followJob(context, service, global, id, options.failOn));
    const job = readWrittenJob(context, id, response);
    await logJobState(context, service, id, job.seen.state);
    return renderJob(job);
  },
});
