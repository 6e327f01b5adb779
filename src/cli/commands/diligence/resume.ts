import { command } from "../../command.ts";
import { guardWrite, openService } from "../../service.ts";
import { followJob, jobOutput, toldJob } from "./job.ts";
import { failOn, jobArgument } from "./options.ts";

export const resume = command({
  name: "resume",
  summary: "resume a partial or failed job",
  remote: "writes",
  waits: true,
  arguments: [jobArgument],
  options: { wait: { help: "wait for the end and print the report" }, ...failOn },
  examples: ["claims diligence resume 7d9c… --wait"],
  async run(context, { args: [id = ""], options, global, onEnd }) {
    const service = await openService(context, global);
    onEnd(service.close);
    await guardWrite(context, global, service);
    const answer = await service.client.send(service.operations.diligence.resume, { params: { jobId: id } });
    return options.wait ? followJob(context, service, global, id, options) : jobOutput(toldJob(id, answer));
  },
});
