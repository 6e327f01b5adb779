import type { ApiResponse } from "../../../client/http/response.ts";
import { categorizeState } from "../../../domain/diligence/states.ts";
import { formatMebibytes } from "../../../domain/numbers.ts";
import { tryParseJson } from "../../connection/json-response.ts";
import { confirmProductionWrite, openService, type Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { refuseSecondStdin } from "../../files/input-file.ts";
import { command } from "../../framework/command.ts";
import { requireContractFields } from "../../framework/response-fields.ts";
import { idempotencyKeyOption } from "../../framework/values.ts";
import type { Block, Output } from "../../output/output.ts";
import { startProgress } from "../../output/progress.ts";
import { quoteId } from "../../output/shell-quote.ts";
import { printMessage } from "../../output/stderr.ts";
import {
  findDuplicate,
  onDuplicateOption,
  resolveDuplicate,
  warnAboutSubmissionInFlight,
} from "../../write-log/duplicates.ts";
import { readLoggedWrites, sendLogged } from "../../write-log/send-logged.ts";
import { checkSubmission } from "./check-submission.ts";
import { openEntryFile } from "./entry-file.ts";
import { failOn } from "./fail-on.ts";
import { followJob, renderFollowedJob } from "./follow.ts";
import { fetchJob, type JobView, jobCard, readWrittenJob } from "./job.ts";
import { mappingOptions, readMapping } from "./mapping-options.ts";
import { checkOptions, entryFileArgument, parseSellerName, protestDocs } from "./options.ts";
import {
  describeSubmission,
  noJobIdError,
  readJobId,
  type SubmissionInput,
  sendSubmission,
} from "./submission.ts";

export const submit = command({
  name: "submit",
  summary: "submit a CSV file of entries as a diligence job",
  remote: "writes",
  waitsForJob: true,
  output: "record",
  operation: ({ diligence }) => diligence.submit,
  arguments: [entryFileArgument],
  options: {
    sellerName: { value: "name", parse: parseSellerName, required: true, help: "name of the seller" },
    protestDocs,
    wait: { help: "wait until the job ends, then print its report" },
    legacy: { help: "use the legacy path" },
    jobIdPath: {
      value: "path",
      help: "path of the job id in the response, as in data.id",
      default: "the usual names",
    },
    ...checkOptions,
    ...mappingOptions,
    ...onDuplicateOption("warn"),
    ...idempotencyKeyOption,
    ...failOn,
  },
  examples: [
    'claims diligence submit es003.csv --seller-name "Harbor & Pine Trading, LLC" --protest-docs --wait',
    "claims diligence submit entries.csv --seller-name Acme --wait --json > report.json",
  ],
  async run(context, call) {
    const { args, global, onEnd, options } = call;
    const { fileName, mapFile } = options;
    refuseSecondStdin([args.file, mapFile ?? ""]);
    const mapping = await readMapping(context, options, global);
    const entryFile = await openEntryFile(context, args.file, onEnd, { mapping, fileName });
    const { sellerName, legacy, jobIdPath, idempotencyKey: given } = options;
    const { file, mapped } = entryFile;
    const submission = {
      file,
      mapped,
      source: args.file,
      sellerName,
      protestDocs: options.protestDocs ?? false,
    };
    await checkSubmission(context, submission, options.check);
    const service = await openService(context, call);
    const { status, submit: operation } = service.operations.diligence;
    // A sandbox that stops with this command would lose the job.
    const waits = options.wait || global.sandbox;
    // The report of another service may have any field, and can be read again.
    if (!waits) requireContractFields(global.fields, service, operation, status);
    await confirmProductionWrite(context, global, service);

    const write = { ...(await describeSubmission(submission, jobIdPath)), given };
    const logged = await readLoggedWrites(context, service);
    const earlier = findDuplicate(logged.records, write, given);
    const earlierId = resolveDuplicate(context, options.onDuplicate ?? "warn", write, earlier);
    const showJob = async (id: string, fetch: () => JobView | Promise<JobView>): Promise<Output> => {
      printMessage(context, `job ${id}`, { jobId: id });
      if (waits) return renderFollowedJob(await followJob(context, service, global, id, options.failOn));
      const job = await fetch();
      const { body, record } = job;
      return { kind: "record", json: body, record, id, blocks: [jobCard(job), nextStep(job)] };
    };
    if (earlierId !== null) return showJob(earlierId, () => fetchJob(service, earlierId));
    warnAboutSubmissionInFlight(context, logged.records, write);
    const send = (idempotencyKey: string) => upload(context, service, submission, { legacy, idempotencyKey });
    const response = await sendLogged(context, service, write, send, logged);
    const id = readJobId(response, jobIdPath);
    if (id === null) {
      const failure = await noJobIdError(context, response, jobIdPath);
      if ((global.json || global.fields) && tryParseJson(response) === undefined) throw failure;
      const lines = response.body.toString("utf8").split("\n");
      return { kind: "record", json: response.body, blocks: [{ kind: "paragraph", lines }], failure };
    }
    return showJob(id, () => readWrittenJob(context, id, response));
  },
});

async function upload(
  context: Context,
  service: Service,
  submission: SubmissionInput,
  options: Parameters<typeof sendSubmission>[2],
): Promise<ApiResponse> {
  const { displayName, size } = submission.file;
  const progress = startProgress(context.stderr, `sending ${displayName}`);
  const onProgress = (sentBytes: number) =>
    progress.update(`sending ${formatMebibytes(sentBytes)} of ${formatMebibytes(size)}`);
  try {
    return await sendSubmission(service, submission, options, onProgress);
  } finally {
    progress.stop();
  }
}

function nextStep({ id, seen }: JobView): Block {
  const verb = { pending: "wait", completed: "report", partial: "report", failed: "status" }[
    categorizeState(seen.state)
  ];
  const lines = [`  claims diligence ${verb} ${quoteId(id)}`];
  return { kind: "paragraph", title: "Next", isAdvice: true, lines };
}
