import { command } from "../../command.ts";
import { openService } from "../../service.ts";
import { followJob } from "./job.ts";
import { failOn, jobArgument } from "./options.ts";

export const wait = command({
  name: "wait",
  summary: "wait for the end of a job and print its report",
  remote: "reads",
  waits: true,
  arguments: [jobArgument],
  options: failOn,
  examples: ["claims diligence wait 7d9c… --timeout 2m", "claims diligence wait 7d9c… --fail-on declined"],
  async run(context, { args: [id = ""], options, global, onEnd }) {
    const service = await openService(context, global);
    onEnd(service.close);
    return followJob(context, service, global, id, options);
  },
});
