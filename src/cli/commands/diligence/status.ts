import { command } from "../../command.ts";
import { openService } from "../../service.ts";
import { askForJob, jobOutput } from "./job.ts";
import { jobArgument } from "./options.ts";

export const status = command({
  name: "status",
  summary: "show a job; exits 0 whatever its state",
  remote: "reads",
  arguments: [jobArgument],
  options: {},
  examples: ["claims diligence status 7d9c… --json | jq -r .state"],
  async run(context, { args: [id = ""], global, onEnd }) {
    const service = await openService(context, global);
    onEnd(service.close);
    return jobOutput(await askForJob(service, id));
  },
});
