import { createLearner } from "../../../../contract/observed/learner.ts";
import { mergeServices } from "../../../../contract/observed/merge.ts";
import type { ObservedService } from "../../../../contract/observed/observed-service.ts";
import { addRecording, type RecordingCounts } from "../../../../contract/observed/recording.ts";
import { getContract } from "../../../../contract/openapi.ts";
import { type ClaimsError, credentialError, usageError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { readObservedService } from "../../../connection/observed-service.ts";
import { isDryRun, openService } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { readInput } from "../../../files/input-file.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { toCard, toTable } from "../../../output/create-blocks.ts";
import { renderDryRun } from "../../../output/dry-run.ts";
import type { Output } from "../../../output/output.ts";
import { print } from "../../../output/print.ts";
import { printMessage } from "../../../output/stderr.ts";
import type { LearnInvocation } from "./options.ts";
import { type ReadResult, readService } from "./read-service.ts";

/** Learns from recordings, or by reads of the service. What was learned before a failure is printed, too. */
export async function runLearn(context: Context, call: LearnInvocation): Promise<Output> {
  const { har = [], merge, job } = call.options;
  if (har.length > 0 && job !== undefined)
    throw usageError("option_conflict", "--job does not go with --har", {
      hint: "--job reads the service; leave it out, or leave out --har",
    });
  const earlier = merge === undefined ? null : await readObservedService(context, merge);
  const learner = createLearner();
  let failure: ClaimsError | undefined;
  if (har.length > 0) await learnFromRecordings(context, learner, har);
  else {
    const result = await learnFromService(context, call, learner);
    if (isDryRun(call.global)) return printRequests(context, call.global, result.requests);
    failure = result.failure;
  }
  const { hash } = getContract();
  const learned = learner.finish(hash);
  if (learned.responses.length === 0 && learned.deliveries.length === 0 && failure) throw failure;
  return toOutput(earlier ? mergeServices(earlier, learned) : learned, failure);
}

async function learnFromRecordings(
  context: Context,
  learner: ReturnType<typeof createLearner>,
  files: readonly string[],
): Promise<void> {
  for (const file of files) {
    const counts = addRecording(learner, (await readInput(context, file)).toString("utf8"), file);
    if (counts.exchanges + counts.deliveries === 0)
      throw usageError(
        "invalid_recording",
        `${file} has no request of this interface (${describe(counts)})`,
        {
          hint: "record the traffic between a client and the service",
        },
      );
    printMessage(context, `${file}: ${describe(counts)}`);
  }
}

const describe = ({ exchanges, deliveries, others }: RecordingCounts): string =>
  [
    formatCount(exchanges, "exchange"),
    `${deliveries} deliver${deliveries === 1 ? "y" : "ies"}`,
    `${formatCount(others, "other request")} left out`,
  ].join(", ");

async function learnFromService(
  context: Context,
  call: LearnInvocation,
  learner: ReturnType<typeof createLearner>,
): Promise<ReadResult> {
  const service = await openService(context, call, {
    onResponse: ({ method, path }, { status, headers, body }) =>
      learner.add({
        ...{ method, path, status, headers: Object.entries(headers) },
        body: body?.toString("utf8") ?? "",
        at: context.now(),
      }),
  });
  const { baseUrl, environment } = service.connection;
  if (environment === "production" && !call.options.yes && !isDryRun(call.global))
    throw credentialError("production_not_confirmed", `this reads PRODUCTION (${baseUrl})`, {
      hint: "give --yes to read it; nothing is written",
    });
  return readService(context, service, call.options.job);
}

/** To stdout: a dry run leaves the file of `--out` as it is. */
async function printRequests(
  context: Context,
  { print: form, json, color }: GlobalOptions,
  requests: ReadResult["requests"],
): Promise<Output> {
  await print(renderDryRun(requests, form), context, { json, color });
  return { kind: "nothing" };
}

function toOutput(service: ObservedService, failure: ClaimsError | undefined): Output {
  const count = (status: string) => service.assumptions.filter((each) => each.status === status).length;
  const differing = service.assumptions.filter(({ status }) => status === "differs");
  return {
    kind: "record",
    json: service,
    blocks: [
      toCard(
        "service",
        {
          responses: service.responses.reduce((sum, each) => sum + each.count, 0),
          confirmed: count("confirmed"),
          differs: differing.length,
          unknown: count("unknown"),
        },
        { title: "What was learned, by assumption" },
      ),
      ...(differing.length > 0
        ? [
            toTable({
              title: "Differs from what is assumed",
              columns: [
                { name: "operation" },
                { name: "kind" },
                { name: "subject", canWrap: true },
                {
                  name: "seen",
                  value: ({ seen }: (typeof differing)[number]) => seen.join("; "),
                  canWrap: true,
                },
              ],
              items: differing,
            }),
          ]
        : []),
    ],
    failure,
  };
}
