import { resolve } from "node:path";
import { usageError, verificationError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { CAUSES, type CauseId } from "../../../../domain/webhooks/explain/causes.ts";
import { type Explanation, explain } from "../../../../domain/webhooks/explain/explain.ts";
import { EVENT_HEADER, headerValues, TIMESTAMP_HEADER } from "../../../../domain/webhooks/headers.ts";
import type { LoggedDelivery } from "../../../../domain/webhooks/input-formats/log-record.ts";
import { parseTimestamp } from "../../../../domain/webhooks/timestamp.ts";
import { Triage, type TriagedDelivery, type TriageReport } from "../../../../domain/webhooks/triage.ts";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { refuseSecondStdin } from "../../../files/input-file.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { type Output, toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { decompress } from "../decompress.ts";
import { readCandidateSecrets, refuseStdinConflict, requireSecrets } from "../signing-secrets.ts";
import type { TriageOptions } from "./options.ts";
import { readDeliveries, type Skipped, skipNothing } from "./read-files.ts";
import { renderMarkdown, renderTriage } from "./report.ts";

/** Bodies above it are a group of their own: limits of proxies are often there. */
const LARGE_BODY_BYTES = 64 << 10;

export async function runTriage(
  context: Context,
  paths: readonly string[],
  options: TriageOptions,
  { ndjson, csv }: GlobalOptions,
): Promise<Output> {
  refuseSecondStdin(paths);
  refuseStdinConflict([...paths, ...(options.secretFile ?? [])], options.secretStdin);
  const secrets = (await requireSecrets(context, options)).map(({ secret }) => secret);
  const verification = {
    secrets,
    candidateSecrets: await readCandidateSecrets(context, options.candidate ?? []),
    secretPrefix: options.secretPrefix,
    decompress,
  };
  const fields = Object.fromEntries((options.field ?? []).map(({ name, path }) => [name, path]));
  const skipped = skipNothing();
  const triage = new Triage();
  let report = triage.report();

  async function* verifyAll(): AsyncGenerator<TriagedDelivery> {
    for await (const { source, delivery } of readDeliveries(context, paths, fields, skipped)) {
      context.signal.throwIfAborted();
      const { receivedAt = null } = delivery;
      const explanation = explain({
        ...verification,
        headers: delivery.headers,
        body: delivery.body,
        // Without the time of receipt, nothing says how old it was then.
        ...(receivedAt !== null && {
          now: receivedAt,
          toleranceSeconds: options.tolerance === undefined ? undefined : options.tolerance / 1000,
        }),
      });
      const triaged = toTriaged(source, delivery, explanation);
      triage.add(triaged);
      yield triaged;
    }
    report = triage.report();
    requireDeliveries(report, skipped);
    noteSkipped(context, skipped);
    await writeReports(context, options.report ?? [], report);
  }

  if (ndjson || csv)
    return toListOutput({
      items: verifyAll(),
      isLive: true,
      emptyMessage: "no deliveries",
      columns: [
        { name: "source", isId: true },
        { name: "verdict" },
        { name: "causes", value: ({ causes }) => causes.join(" ") },
        { name: "time", value: ({ time }) => formatTime(time) },
        { name: "sender", value: ({ facets }) => facets.sender ?? null },
        { name: "endpoint", value: ({ facets }) => facets.endpoint ?? null },
        { name: "event", value: ({ facets }) => facets.event ?? null },
      ],
      toRecord: ({ source, verdict, causes, time, clockOffset, facets }) => ({
        ...{ source, verdict, causes, time: formatTime(time), clockOffset },
        ...facets,
      }),
      failure: () => findFailure(report),
    });
  for await (const _ of verifyAll());
  return { kind: "record", json: report, blocks: renderTriage(report), failure: findFailure(report) };
}

const formatTime = (time: number | null): string | null =>
  time === null ? null : new Date(time).toISOString();

function toTriaged(
  source: string,
  { headers, body, receivedAt = null, sender, endpoint }: LoggedDelivery,
  { verdict, causes }: Explanation,
): TriagedDelivery {
  const first = (name: string): string | undefined => headerValues(headers, name)[0];
  const signedAt = parseTimestamp(first(TIMESTAMP_HEADER) ?? "");
  const event = first(EVENT_HEADER);
  const contentType = first("content-type");
  return {
    source,
    verdict,
    causes: causes.map(({ id, certainty }) => `${id} (${certainty})`).sort(),
    time: receivedAt ?? signedAt,
    clockOffset: receivedAt === null || signedAt === null ? null : Math.round((receivedAt - signedAt) / 1000),
    facets: {
      ...(sender !== undefined && { sender }),
      ...(endpoint !== undefined && { endpoint }),
      ...(event !== undefined && { event }),
      ...(contentType !== undefined && { contentType }),
      ...(body.length > LARGE_BODY_BYTES && { size: "over 64 KiB" }),
    },
    headerNames: headers.map(([name]) => name.toLowerCase()),
  };
}

function requireDeliveries({ total }: TriageReport, skipped: Skipped): void {
  if (total > 0) return;
  throw usageError("no_deliveries", `no delivery found (${describeSkipped(skipped).join("; ")})`, {
    hint: adviseOnSkipped(skipped),
  });
}

function adviseOnSkipped({ records, files, compressed, folders }: Skipped): string {
  if (compressed.length > 0) return "decompress it first, as gzip -d does";
  if (records + files.length > 0)
    return "name the fields of a JSON log: --field body=.req.rawBody --field headers=.req.headers; the body must be logged as received, not parsed";
  return folders.length > 0
    ? "name the folder that has the files: folders in a folder are not read"
    : "name a file with deliveries";
}

function noteSkipped(context: Context, skipped: Skipped): void {
  const parts = describeSkipped(skipped);
  if (parts.length > 0) printMessage(context, `skipped ${parts.join("; ")}`);
}

function describeSkipped({ records, files, empty, compressed, folders }: Skipped): readonly string[] {
  const lists = [
    ["file in another format", "files in another format", files],
    ["empty file", "empty files", empty],
    ["file compressed with gzip", "files compressed with gzip", compressed],
    ["folder without a file", "folders without a file", folders],
  ] as const;
  return [
    ...(records > 0 ? [`${formatCount(records, "record")} without a delivery`] : []),
    ...lists.flatMap(([one, many, names]) =>
      names.length > 0 ? [`${formatCount(names.length, one, many)}: ${names.join(", ")}`] : [],
    ),
  ];
}

function findFailure({ total, valid, groups }: TriageReport) {
  if (valid === total) return undefined;
  const [id = ""] = groups[0]?.causes[0]?.split(" ") ?? [];
  const fix = Object.hasOwn(CAUSES, id) ? CAUSES[id as CauseId].fix : null;
  return verificationError(
    "deliveries_not_valid",
    `${total - valid} of ${formatCount(total, "delivery", "deliveries")} ${total - valid === 1 ? "is" : "are"} not valid`,
    {
      hint: fix ?? `verify one of them alone: ${groups[0]?.example ?? ""}`,
    },
  );
}

async function writeReports({ cwd, signal }: Context, paths: readonly string[], report: TriageReport) {
  for (const path of paths) {
    const text = path.endsWith(".md") ? renderMarkdown(report) : `${JSON.stringify(report, null, 2)}\n`;
    await writeFileAtomically(resolve(cwd, path), [text], { signal });
  }
}
