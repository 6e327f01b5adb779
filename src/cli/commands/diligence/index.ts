import { resolve } from "node:path";
import { valueAt } from "../../../domain/json.ts";
import { formatThousands } from "../../../domain/numbers.ts";
import { confirmProductionWrite } from "../../connection/service.ts";
import { type AnyCommand, command } from "../../framework/command.ts";
import { requireContractFields } from "../../framework/response-fields.ts";
import { type ListColumn, toCard, toListOutput, toTable } from "../../output/output.ts";
import { formatMoney } from "../../output/record-card.ts";
import { logJobState } from "../../write-log/job-log.ts";
import { writeOptions } from "../../write-log/write-options.ts";
import { batch } from "./batch/batch.ts";
import { check } from "./check.ts";
import { dataset } from "./dataset/dataset.ts";
import { deadlines } from "./deadlines.ts";
import { followJob, renderFollowedJob } from "./follow.ts";
import {
  column,
  explainRefusal,
  fetchJob,
  fetchReport,
  JOB_COLUMNS,
  type JobResponse,
  openJob,
  readWrittenJob,
  sendResume,
  showJobs,
  toJobOutput,
} from "./job.ts";
import { renderJob } from "./job-card.ts";
import { failOn, jobArgument, jobArguments, last, requireWait } from "./options.ts";
import { pullJob } from "./pull-job.ts";
import { reportBlocks } from "./report-card.ts";
import { submit } from "./submit/submit.ts";

const status = command({
  name: "status",
  summary: "show jobs; exits 0 in every state",
  remote: "reads",
  output: "list",
  operation: ({ diligence }) => diligence.status,
  arguments: [jobArguments],
  options: last,
  examples: [
    "claims diligence status 7d9c… --json | jq -r .state",
    "cat ids.txt | claims diligence status - --ndjson",
  ],
  run: (context, call) =>
    showJobs(context, call, JOB_COLUMNS, async (service, id) => {
      const job = await fetchJob(service, id);
      await logJobState(context, service, id, job.seen.state);
      return { item: job, render: () => renderJob(job) };
    }),
});

const wait = command({
  name: "wait",
  summary: "wait until jobs end; print the report of one job, the records of several",
  remote: "reads",
  waitsForJob: true,
  output: "list",
  operation: ({ diligence }) => diligence.report,
  arguments: [jobArguments],
  options: { ...last, ...failOn },
  examples: ["claims diligence wait 7d9c… --timeout 2m", "claims diligence wait 7d9c… --fail-on declined"],
  run: (context, call) =>
    showJobs(context, call, JOB_COLUMNS, async (service, id) => {
      const followed = await followJob(context, service, call.global, id, call.options);
      const { job, failure } = followed;
      return { item: { ...job, failure }, render: () => renderFollowedJob(context, call.global, followed) };
    }),
});

const REPORT_COLUMNS: readonly ListColumn<JobResponse>[] = [
  column("rf8Review.outcome", { isWhole: true }),
  column("totals.estimatedClaimCents", {
    title: "estimated claim",
    align: "right",
    isWhole: true,
    display: ({ record }) => formatMoney(valueAt(record, "totals.estimatedClaimCents")),
  }),
  column("totals.entriesRejected", { title: "rejected", align: "right" }),
  column("totals.entriesAccepted", { title: "accepted", align: "right" }),
  column("rf8Review.score", { align: "right" }),
];

const report = command({
  name: "report",
  summary: "show the report of a job, with its rf8Review",
  remote: "reads",
  output: "list",
  operation: ({ diligence }) => diligence.report,
  arguments: [jobArguments],
  options: last,
  examples: [
    "claims diligence report 7d9c…",
    "claims diligence report 7d9c… --json | jq .rf8Review.outcome",
    "claims diligence report 7d9c… --fields rf8Review.outcome,totals.estimatedClaimCents",
  ],
  run: (context, call) =>
    showJobs(context, call, REPORT_COLUMNS, async (service, id) => {
      const item = await explainRefusal(service, id, fetchReport(service, id));
      const { verbose } = call.global;
      return { item, render: () => toJobOutput(item, reportBlocks(item.record, context, verbose, id)) };
    }),
});

const resume = command({
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
    requireWait(options.failOn, options.wait === true);
    const { id, service } = await openJob(context, call);
    if (!options.wait) requireContractFields(global.fields, service.operations.diligence.resume);
    await confirmProductionWrite(context, global, service, `send a resume of job ${id}`);
    const response = await sendResume(context, service, id, options);
    if (options.wait && !response.failure)
      return renderFollowedJob(context, global, await followJob(context, service, global, id, options));
    const job = readWrittenJob(context, id, response);
    await logJobState(context, service, id, job.seen.state);
    return renderJob(job, response.failure);
  },
});

const template = command({
  name: "template",
  prints: "EntryColumns",
  summary: "list the columns of an entry file; --csv prints a heading line and an example",
  output: "list",
  quietPrints: "column names",
  options: {
    layout: {
      value: "layout",
      choices: ["entry", "es003"],
      help: "one row for each entry, or the ACE report ES-003",
      default: "entry",
    },
  },
  examples: [
    "claims diligence template",
    "claims diligence template --out entries.csv",
    "claims diligence template --layout es003 --json",
  ],
  async run(_, { options: { layout = "entry" }, global }) {
    const { generateTemplate, listEntryColumns } = await import("../../capabilities/entry-files.ts");
    if (global.csv) return { kind: "stream", body: generateTemplate(layout) };
    return toListOutput({
      items: listEntryColumns(layout),
      columns: [
        { name: "column", isId: true },
        { name: "required", display: ({ required }) => (required ? "yes" : "") },
        { name: "es003Heading", title: "ES-003 heading" },
        { name: "example" },
        { name: "format", canWrap: true },
        { name: "basis", isHidden: true },
      ],
      emptyMessage: "no columns",
      notes: () => ["assumed: the interface shows no column of the file (§4)"],
    });
  },
});

const pull = command({
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
  },
  examples: ["claims diligence pull 7d9c… -d ./harbor-pine"],
  async run(context, call) {
    const { id, service } = await openJob(context, call);
    const folder = resolve(context.cwd, call.options.dir);
    const job = await fetchJob(service, id);
    const report = await explainRefusal(service, id, fetchReport(service, id));
    const manifest = await pullJob(context, service, { job, report, folder });
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
            { name: "bytes", align: "right", display: ({ bytes }) => formatThousands(bytes) },
            // The manifest has the complete hash.
            { name: "sha256", title: "sha-256", display: ({ sha256 }) => `${sha256.slice(0, 12)}…` },
          ],
          items: files,
        }),
      ],
    };
  },
});

export const commands: readonly AnyCommand[] = [
  ...[submit, status, wait, report, dataset, deadlines, resume],
  ...[batch, check, template, pull],
];
