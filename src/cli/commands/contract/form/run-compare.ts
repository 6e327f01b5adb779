import { Readable } from "node:stream";
import type { Credential } from "../../../../client/auth/credential.ts";
import { verificationError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { resolveConnection } from "../../../connection/connection.ts";
import { startEmbeddedSandbox } from "../../../connection/embedded-sandbox.ts";
import { readServiceForm } from "../../../connection/service-form.ts";
import type { Context } from "../../../context.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import { type Output, toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { type ComparedLeaf, compareLeaves } from "./compare-leaves.ts";
import { type LiveRead, type LiveService, openLive, readAll } from "./live-reads.ts";

interface CompareInvocation extends BaseInvocation {
  readonly args: { readonly file: string };
  readonly options: { readonly job: string | undefined };
}

const RESULTS = ["right", "listed", "silently wrong", "not compared"] as const;

/** Asks the service and a sandbox with the form the same reads. */
export async function runCompare(context: Context, call: CompareInvocation): Promise<Output> {
  const { file } = call.args;
  const form = await readServiceForm(context, file);
  const connection = await resolveConnection(context, call);
  const live = await openLive(context, connection, file);
  call.onEnd(() => live.service.close());
  const sandbox = await startEmbeddedSandbox(context, { like: form, grease: undefined } as object);
  call.onEnd(() => sandbox.close());
  const credential: Credential = { kind: "api_key", key: sandbox.credentials.sandbox.apiKey };
  const imitation = await openLive(
    context,
    { baseUrl: sandbox.url, environment: "sandbox", credential, isTemporary: true },
    file,
  );
  call.onEnd(() => imitation.service.close());
  const jobId = await fillSandbox(imitation, call.options.job !== undefined);
  const others = new Map<string, LiveRead>();
  for await (const read of readAll(imitation, jobId)) others.set(keyOf(read), read);
  const leaves: ComparedLeaf[] = [];
  for await (const read of readAll(live, call.options.job))
    leaves.push(...compareLeaves(form, read, others.get(keyOf(read))));
  const counts = RESULTS.map(
    (result) => [result, leaves.filter((leaf) => leaf.result === result).length] as const,
  );
  printMessage(context, counts.map(([result, count]) => `${count} ${result}`).join(", "));
  const wrong = leaves.filter(({ result }) => result === "silently wrong");
  return toListOutput({
    items: leaves,
    columns: [
      { name: "result" },
      { name: "operation" },
      { name: "place", canWrap: true },
      { name: "service", canWrap: true },
      { name: "sandbox", canWrap: true },
    ],
    idOf: ({ operation, place, result }) => (result === "silently wrong" ? `${operation} ${place}` : null),
    emptyMessage: "the service responds to no read",
    failure: () =>
      wrong.length === 0
        ? undefined
        : verificationError(
            "form_differs",
            `${formatCount(wrong.length, "place")} of the service ${wrong.length === 1 ? "is" : "are"} not as ${file} says`,
            {
              hint: "the rows on stdout name them; add their rows to the form",
            },
          ),
  });
}

const keyOf = ({ operation, isError }: LiveRead): string => `${operation.id} ${isError}`;

const ENTRIES = "entry_number,entry_date\nABC-1000001-1,2025-01-10\n";

/** A sandbox has clients at its start; the other records are made by the same operations that a partner uses. */
async function fillSandbox(
  { service: { client, operations } }: LiveService,
  hasJob: boolean,
): Promise<string | undefined> {
  const { diligence, webhooks } = operations;
  await client.send(webhooks.create, {
    json: {
      label: "compare",
      url: "http://127.0.0.1:9/",
      subscribedEvents: ["partner.test"],
      environmentScope: "sandbox",
    },
  });
  await client.send(webhooks.test, { json: { eventType: "partner.test", environment: "sandbox" } });
  if (!hasJob) return undefined;
  const file = {
    name: "entries.csv",
    contentType: "text/csv",
    size: ENTRIES.length,
    open: () => Readable.from([ENTRIES]),
  };
  const fields = { seller_name: "Compare", requires_protest_documentation: "false" };
  const { tryParseJson } = await import("../../../connection/json-response.ts");
  const { findJobId } = await import("../../../../client/job-id.ts");
  const response = await client.send(diligence.submit, { multipart: { fields, file } });
  return findJobId(tryParseJson(response), response.headers.location) ?? undefined;
}
