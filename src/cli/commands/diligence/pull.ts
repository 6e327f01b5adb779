import { resolve } from "node:path";
import { command } from "../../framework/command.ts";
import { openJob } from "./jobs.ts";
import { jobArgument, last } from "./options.ts";
import { pullJob } from "./pull-job.ts";

export const pull = command({
  name: "pull",
  summary: "save report and dataset with a manifest that pins job, contract and checksums",
  remote: "reads",
  output: "record",
  arguments: [jobArgument],
  options: {
    ...last,
    dir: { short: "d", value: "dir", required: true, help: "the folder to write to; made if it is missing" },
  },
  examples: ["claims diligence pull 7d9c… -d ./harbor-pine"],
  async run(context, call) {
    const { options } = call;
    const { id, service } = await openJob(context, call);
    const folder = resolve(context.cwd, options.dir);
    const manifest = await pullJob(context, service, id, folder);
    const { contractHash, files } = manifest;
    return {
      kind: "record",
      json: manifest,
      id,
      blocks: [
        { kind: "card", title: `Pulled job ${id} into ${folder}`, rows: [["contract hash", contractHash]] },
        {
          kind: "table",
          columns: [{ name: "file" }, { name: "bytes", align: "right" }, { name: "sha-256" }],
          rows: files.map(({ name, bytes, sha256 }) => [name, bytes, sha256]),
        },
      ],
    };
  },
});
