import type { Answer } from "../../../client/client.ts";
import { findJobId } from "../../../client/job-id.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { parseAnswer } from "../../answer.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import type { InputFile } from "../../input-file.ts";
import { mebibytes } from "../../output/numbers.ts";
import type { Block, Output } from "../../output/output.ts";
import { startProgress } from "../../progress.ts";
import { say } from "../../say.ts";
import { guardWrite, openService, type Service } from "../../service.ts";
import { entryFile, openEntryFile } from "./entry-file.ts";
import { endOutput, followJob } from "./follow.ts";
import { jobCard, type ToldJob, toldJob } from "./job.ts";
import { failOn, protestDocs } from "./options.ts";

export const submit = command({
  name: "submit",
  summary: "submit a CSV of entries as a diligence job",
  remote: "writes",
  waits: true,
  answers: "record",
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
    await guardWrite(context, global, service);

    const answer = await upload(context, service, file, { ...options, source: args.file });
    const id = findJobId(bodyIfJson(answer), answer.headers.location, options.jobIdPath);
    if (id === null) return withoutJobId(answer, options.jobIdPath);
    say(context, `job ${id}`);
    // A job in a sandbox that ends with this command would end with it.
    const waits = options.wait || global.sandbox;
    if (!waits) return submitted(toldJob(id, answer));
    return endOutput(await followJob(context, service, global, id, options.failOn));
  },
});

interface SubmitOptions {
  /** How the command line names the file. */
  readonly source: string;
  readonly sellerName: string;
  readonly protestDocs: boolean | undefined;
  readonly legacy: boolean | undefined;
}

async function upload(
  context: Context,
  { client, operations }: Service,
  file: InputFile,
  { source, sellerName, protestDocs: required = false, legacy = false }: SubmitOptions,
): Promise<Answer> {
  const progress = startProgress(context.stderr, `sending ${file.shownAs}`);
  try {
    return await client.send(operations.diligence.submit, {
      legacy,
      multipart: {
        fields: { seller_name: sellerName, requires_protest_documentation: String(required) },
        file: { name: file.name, source, contentType: "text/csv", size: file.size, open: file.stream },
        onProgress: (sent) => progress.update(`sending ${mebibytes(sent)} of ${mebibytes(file.size)}`),
      },
    });
  } finally {
    progress.stop();
  }
}

function bodyIfJson(answer: Answer): unknown {
  try {
    return parseAnswer(answer, "the submission");
  } catch {
    // The id may still be in Location; where it is not, the raw body is shown.
    return null;
  }
}

function submitted(job: ToldJob): Output {
  const next: Block = { kind: "paragraph", title: "Next", lines: [`  claims diligence wait ${job.id}`] };
  return { kind: "record", json: job.body, id: job.id, blocks: [jobCard(job), next] };
}

/** The submission was accepted and its id is not to be found: show everything, lose nothing. */
const withoutJobId = ({ body }: Answer, path = "any of the usual places"): Output => ({
  kind: "record",
  json: body,
  blocks: [{ kind: "paragraph", lines: body.toString("utf8").split("\n") }],
  failure: new ClaimsError(
    "rejected",
    "no_job_id",
    `the service accepted the submission, but its answer has no job id at ${path}`,
    {
      hint: "name the field with --job-id-path, as in data.id",
    },
  ),
});
