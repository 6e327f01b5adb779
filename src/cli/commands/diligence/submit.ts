import type { ApiResponse } from "../../../client/client.ts";
import { confirmProductionWrite, openService, type Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { command } from "../../framework/command.ts";
import { idempotencyKeyOption } from "../../framework/values.ts";
import { formatMebibytes } from "../../output/numbers.ts";
import type { Block, Output } from "../../output/output.ts";
import { startProgress } from "../../output/progress.ts";
import { quoteId } from "../../output/shell-quote.ts";
import { printMessage } from "../../output/stderr.ts";
import { sendLogged } from "../../write-log/send-logged.ts";
import { entryFile, openEntryFile } from "./entry-file.ts";
import { followJob, renderFollowedJob } from "./follow.ts";
import { type JobView, jobCard, parseJob } from "./job.ts";
import { renderWithoutJobId } from "./no-job-id.ts";
import { failOn, protestDocs } from "./options.ts";
import { readJobId, type SubmissionInput, sendSubmission, toWrite } from "./submission.ts";

export const submit = command({
  name: "submit",
  summary: "submit a CSV of entries as a diligence job",
  remote: "writes",
  waitsForJob: true,
  output: "record",
  arguments: [entryFile],
  options: {
    sellerName: { value: "name", required: true, help: "the seller the entries belong to" },
    protestDocs,
    wait: { help: "wait for the end and print the report" },
    legacy: { help: "use the legacy path" },
    jobIdPath: {
      value: "path",
      help: "where the answer names the job, as in data.id, instead of the usual places",
    },
    ...idempotencyKeyOption,
    ...failOn,
  },
  examples: [
    'claims diligence submit es003.csv --seller-name "Harbor & Pine Trading, LLC" --protest-docs --wait',
    "claims diligence submit entries.csv --seller-name Acme --wait --json > report.json",
  ],
  async run(context, call) {
    const { args, global, onEnd, options } = call;
    const file = await openEntryFile(context, args.file, onEnd);
    const service = await openService(context, call);
    await confirmProductionWrite(context, global, service);

    const { sellerName, protestDocs: needsDocs = false, legacy, jobIdPath, idempotencyKey: given } = options;
    const submission: SubmissionInput = { file, source: args.file, sellerName, protestDocs: needsDocs };
    const write = { ...(await toWrite(submission, jobIdPath)), given };
    const answer = await sendLogged(context, service, write, (key) =>
      upload(context, service, submission, { legacy, idempotencyKey: key }),
    );
    const id = readJobId(answer, jobIdPath);
    if (id === null) return renderWithoutJobId(context, global, answer, jobIdPath);
    printMessage(context, `job ${id}`);
    // A job in a sandbox that ends with this command would end with it.
    const waits = options.wait || global.sandbox;
    if (!waits) return renderSubmitted(parseJob(id, answer));
    return renderFollowedJob(await followJob(context, service, global, id, options.failOn));
  },
});

async function upload(
  context: Context,
  service: Service,
  submission: SubmissionInput,
  how: { readonly legacy: boolean | undefined; readonly idempotencyKey: string },
): Promise<ApiResponse> {
  const { displayName: shownAs, size } = submission.file;
  const progress = startProgress(context.stderr, `sending ${shownAs}`);
  const onProgress = (sent: number) =>
    progress.update(`sending ${formatMebibytes(sent)} of ${formatMebibytes(size)}`);
  try {
    return await sendSubmission(service, submission, { ...how, onProgress });
  } finally {
    progress.stop();
  }
}

function renderSubmitted(job: JobView): Output {
  const lines = [`  claims diligence wait ${quoteId(job.id)}`];
  const next: Block = { kind: "paragraph", title: "Next", isAdvice: true, lines };
  return { kind: "record", json: job.body, id: job.id, blocks: [jobCard(job), next] };
}
