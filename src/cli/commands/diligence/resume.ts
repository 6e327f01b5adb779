import { command } from "../../command.ts";
import { guardWrite, openService } from "../../service.ts";
import { endOutput, followJob } from "./follow.ts";
import { jobOutput, toldJob } from "./job.ts";
import { oneJobId } from "./jobs.ts";
import { failOn, jobArgument } from "./options.ts";

export const resume = command({
  name: "resume",
  summary: "resume a partial or failed job",
  remote: "writes",
  waits: true,
  answers: "record",
  arguments: [jobArgument],
  options: { wait: { help: "wait for the end and print the report" }, ...failOn },
  examples: ["claims diligence resume 7d9c… --wait"],
  async run(context, call) {
    const { args, global, options } = call;
    const id = await oneJobId(context, args.job);
    const service = await openService(context, call);
    await guardWrite(context, global, service);
    const answer = await service.client.send(service.operations.diligence.resume, { params: { jobId: id } });
    if (!options.wait) return jobOutput(toldJob(id, answer));
    return endOutput(await followJob(context, service, global, id, options.failOn));
  },
});
