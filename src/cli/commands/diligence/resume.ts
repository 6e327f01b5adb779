import { command } from "../../command.ts";
import { idempotencyKey } from "../../idempotency-key.ts";
import { contentHash } from "../../journal/content.ts";
import { noteState } from "../../journal/jobs-here.ts";
import { journaled } from "../../journal/journaled.ts";
import { guardWrite } from "../../service.ts";
import { endOutput, followJob } from "./follow.ts";
import { jobOutput, toldJob } from "./job.ts";
import { openJob } from "./jobs.ts";
import { failOn, jobArgument, last } from "./options.ts";

export const resume = command({
  name: "resume",
  summary: "resume a partial or failed job",
  remote: "writes",
  waits: true,
  answers: "record",
  arguments: [jobArgument],
  options: {
    ...last,
    wait: { help: "wait for the end and print the report" },
    ...idempotencyKey,
    ...failOn,
  },
  examples: ["claims diligence resume 7d9c… --wait", "claims diligence resume --last"],
  async run(context, call) {
    const { global, options } = call;
    const { id, service } = await openJob(context, call);
    await guardWrite(context, global, service);
    const { client, operations } = service;
    const { resume: operation } = operations.diligence;
    const params = { jobId: id };
    const write = {
      operation: operation.id,
      content: await contentHash({ operation: operation.id, params }),
      seller: null,
      file: null,
      bytes: null,
      jobIdOf: () => id,
      given: options.idempotencyKey,
    };
    const answer = await journaled(context, call, service, write, (key) =>
      client.send(operation, { params, idempotencyKey: key }),
    );
    if (options.wait) return endOutput(await followJob(context, service, global, id, options.failOn));
    const job = toldJob(id, answer);
    await noteState(context, service, id, job.seen.state);
    return jobOutput(job);
  },
});
