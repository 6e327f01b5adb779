import { command } from "../../command.ts";
import { openService } from "../../service.ts";
import { askForJob, JOB_COLUMNS, jobOutput } from "./job.ts";
import { jobIds, onlyId, toldOfEach } from "./jobs.ts";
import { jobArguments } from "./options.ts";

export const status = command({
  name: "status",
  summary: "show jobs; exits 0 whatever their state",
  remote: "reads",
  answers: "list",
  arguments: [jobArguments],
  options: {},
  examples: [
    "claims diligence status 7d9c… --json | jq -r .state",
    "cat ids.txt | claims diligence status - --ndjson",
  ],
  async run(context, call) {
    const ids = await jobIds(context, call.args.jobs);
    const service = await openService(context, call);
    const id = onlyId(ids, call.global);
    if (id !== null) return jobOutput(await askForJob(service, id));
    return toldOfEach(ids, (each) => askForJob(service, each), JOB_COLUMNS);
  },
});
