import { resolve } from "node:path";
import { command } from "../../framework/command.ts";
import { toCard, toTable } from "../../output/create-blocks.ts";
import { datasetFormat } from "./dataset/open-dataset.ts";
import { explainRefusal, fetchJob, fetchReport } from "./job.ts";
import { openJob } from "./jobs.ts";
import { jobArgument, last } from "./options.ts";
import { pullJob } from "./pull-job.ts";

export const pull = command({
  name: "pull",
  prints: "PullManifest",
  summary: "save the report and dataset of a job, with a manifest of contract hash and checksums",
  remote: "reads",
  output: "record",
  arguments: [jobArgument],
  options: {
    ...last,
    dir: {
      short: "d",
      value: "dir",
      required: true,
      help: "folder to write to; created if it does not exist",
    },
    format: { ...datasetFormat, help: "format of the dataset; each format is a file of its own" },
  },
  examples: [
    "claims diligence pull 7d9c… -d ./harbor-pine",
    "claims diligence pull 7d9c… -d ./harbor-pine --format csv",
  ],
  async run(context, call) {
    const { dir, format } = call.options;
    const { id, service } = await openJob(context, call);
    const folder = resolve(context.cwd, dir);
    const job = await fetchJob(service, id);
    const report = await explainRefusal(service, id, fetchReport(service, id));
    const manifest = await pullJob(context, service, { job, report, folder, format });
    const { files, ...record } = manifest;
    const fields = { "contract hash": manifest.contractHash };
    return {
      kind: "record",
      json: manifest,
      id,
      blocks: [
        toCard("pull", fields, { title: `Pulled job ${id} into ${folder}`, record }),
        toTable({
          section: "files",
          columns: [
            { name: "name", title: "file" },
            { name: "bytes", align: "right" },
            // The manifest has the complete hash.
            { name: "sha256", title: "sha-256", display: ({ sha256 }) => `${sha256.slice(0, 12)}…` },
          ],
          items: files,
        }),
      ],
    };
  },
});
