import { Readable } from "node:stream";
import type { Credential } from "../../../../client/auth/credential.ts";
import { findContractResponse } from "../../../../contract/service-form/contract-records.ts";
import { describeKind } from "../../../../contract/service-form/kinds.ts";
import { listLeaves } from "../../../../contract/service-form/learn/samples.ts";
import { isUuid } from "../../../../contract/service-form/learn/value-forms.ts";
import { formatPlace, isWithin, type Place, parsePlace } from "../../../../contract/service-form/places.ts";
import { bindRows } from "../../../../contract/service-form/rows.ts";
import type { ServiceForm } from "../../../../contract/service-form/service-form.ts";
import { verificationError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { resolveConnection } from "../../../connection/connection.ts";
import { startEmbeddedSandbox } from "../../../connection/embedded-sandbox.ts";
import { readServiceForm } from "../../../connection/service-form.ts";
import type { Context } from "../../../context.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import { type Output, toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { type LiveRead, type LiveService, openLive, readAll } from "./live-reads.ts";

interface CompareInvocation extends BaseInvocation {
  readonly args: { readonly file: string };
  readonly options: { readonly job: string | undefined };
}

const RESULTS = ["right", "listed", "silently wrong", "not compared"] as const;

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
  // A sandbox refuses the report of a job that still runs, whatever the service does.
  await sandbox.idle();
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
            { hint: "the rows on stdout name them; add their rows to the form" },
          ),
  });
}

const keyOf = ({ operation, isError }: LiveRead): string => `${operation.id} ${isError}`;

const ENTRIES = "entry_number,entry_date\nABC-1000001-1,2025-01-10\n";

/** A sandbox has clients at its start; the other records are made by the same operations that a partner uses. */
async function fillSandbox({ service: { client, operations } }: LiveService, hasJob: boolean) {
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

/** A place of a response, without indexes, and what became of it. */
interface ComparedLeaf {
  readonly operation: string;
  readonly place: string;
  readonly result: "right" | "listed" | "silently wrong" | "not compared";
  readonly service: string;
  readonly sandbox: string;
}

const NUMBERS = new Set(["integer", "decimal"]);
const NOTHING = new Set(["null", "empty list", "empty object"]);

function compareLeaves(form: ServiceForm, service: LiveRead, sandbox: LiveRead | undefined): ComparedLeaf[] {
  const operation = service.isError ? `${service.operation.id} (error)` : service.operation.id;
  const kinds = listKinds(service);
  const others = sandbox ? listKinds(sandbox) : new Map<string, Set<string>>();
  const { isPage } = findContractResponse(service.operation);
  const { items = "data" } = form.operations?.[service.operation.id] ?? {};
  if (isPage && sandbox?.records?.length === 0) others.set(items, new Set(["empty list"]));
  const places = [...new Set([...kinds.keys(), ...others.keys()])];
  const isListed = createListed(form, service);
  return places.map((place) => {
    const theirs = kinds.get(place) ?? new Set();
    const ours = others.get(place) ?? new Set();
    return {
      operation,
      place: place || "(the document)",
      result:
        sandbox && !isInsideNothing(place, kinds) && !isInsideNothing(place, others)
          ? judge(theirs, ours, (isOwn) => isListed(place, isOwn))
          : "not compared",
      service: [...theirs].join(" or "),
      sandbox: [...ours].join(" or "),
    };
  });
}

const isNothing = (kinds: ReadonlySet<string>): boolean => [...kinds].every((kind) => NOTHING.has(kind));

/** Whether there is nothing at a place around this one, such as an empty list. */
function isInsideNothing(place: string, kinds: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const names = parsePlace(place);
  return names.some((_, level) => {
    const around = kinds.get(formatPlace(names.slice(0, level)));
    return around !== undefined && isNothing(around);
  });
}

function judge(
  theirs: ReadonlySet<string>,
  ours: ReadonlySet<string>,
  isListed: (isOwn: boolean) => boolean,
): ComparedLeaf["result"] {
  if ((theirs.size > 0 && isNothing(theirs)) || (ours.size > 0 && isNothing(ours))) return "not compared";
  const isSame = [...theirs].some(
    (kind) => ours.has(kind) || (NUMBERS.has(kind) && [...ours].some((other) => NUMBERS.has(other))),
  );
  if (isSame) return "right";
  return isListed(theirs.size === 0) ? "listed" : "silently wrong";
}

function listKinds({ sent, text, status }: LiveRead): Map<string, Set<string>> {
  const kinds = new Map<string, Set<string>>([["status", new Set([String(status)])]]);
  const leaves = sent === undefined ? [{ place: [] as Place, value: text }] : listLeaves(sent);
  for (const { place, value } of leaves) {
    const key = formatPlace(place.map((name) => (isUuid(name) ? "*" : name)));
    kinds.set(key, (kinds.get(key) ?? new Set()).add(describeKind(value)));
  }
  return kinds;
}

/** Whether the form names a place as not mapped: one of the service, or a field that the sandbox writes under its own name. */
function createListed(form: ServiceForm, { operation, isError }: LiveRead) {
  const open = form.open ?? [];
  if (isError) return () => open.some(({ subject }) => subject.startsWith("errors "));
  const own = form.operations?.[operation.id] ?? {};
  const { record, isPage } = findContractResponse(operation);
  const name = own.record ?? record.name;
  const prefix = isPage ? [...parsePlace(own.items ?? "data"), "*"] : parsePlace(own.at ?? "");
  const hasUnnamed = open.some(
    ({ subject, seen }) => subject === operation.id && seen.endsWith("names are not kept"),
  );
  const fields = new Set(open.map(({ subject }) => subject));
  const rows = bindRows(form, record, name).flatMap(({ at, path }) =>
    at ? [{ place: [...prefix, ...at], path }] : [],
  );
  const isPaging = open.some(
    ({ subject }) => subject === `${operation.id} paging` || subject === `${operation.id} data`,
  );
  return (place: string, isOwn: boolean): boolean => {
    const names = parsePlace(place);
    const row = rows.find((each) => isWithin(names, each.place));
    const path = row ? [...row.path, ...names.slice(row.place.length).filter((part) => part !== "*")] : [];
    const isOpenField = path.some((_, level) =>
      fields.has(`${record.name}.${path.slice(0, level + 1).join(".")}`),
    );
    const isNested = [...fields].some((subject) =>
      row?.path.some((part) => subject.startsWith(`${record.name}.${part}`)),
    );
    if (isOpenField || (row && isNested)) return true;
    return isOwn ? isPaging : hasUnnamed || isPaging;
  };
}
