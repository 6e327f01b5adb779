import { Buffer } from "node:buffer";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { notFoundError, usageError } from "../../../../domain/errors.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../../../domain/webhooks/headers.ts";
import {
  chooseReceived,
  isJudgeable,
  type Verification,
} from "../../../../domain/webhooks/input-formats/choose-received.ts";
import { isCurl, parseCurl } from "../../../../domain/webhooks/input-formats/curl.ts";
import {
  decodeText,
  inputError,
  type ReceivedDelivery,
  signatureOf,
} from "../../../../domain/webhooks/input-formats/delivery.ts";
import { parseHeaders } from "../../../../domain/webhooks/input-formats/http-request.ts";
import { describeLack, isTimeRefusal } from "../../../../domain/webhooks/input-formats/logged-delivery.ts";
import {
  type FoundDelivery,
  type ReadNotes,
  readDocument,
  selectDelivery,
} from "../../../../domain/webhooks/input-formats/read-document.ts";
import { verify } from "../../../../domain/webhooks/signature.ts";
import { findConnection } from "../../../connection/connection.ts";
import type { Context } from "../../../context.ts";
import { readInput } from "../../../files/input-file.ts";
import { printMessage } from "../../../output/stderr.ts";
import { completeIdOfSandbox } from "../../../records/complete-id.ts";
import { requireControlOf } from "../../../sandbox-control/control.ts";
import { toFieldPaths } from "../options.ts";
import type { VerifyOptions } from "../verify/verify.ts";
import { type CaseFinding, isCaseFile, parseCaseFile } from "./case-file.ts";
import { unpack } from "./containers.ts";

/** A delivery with what its file says of it, or the sandbox, if it is of one. */
export type DeliveryInput = ReceivedDelivery &
  Partial<FoundDelivery> & {
    /** The first delivery of the file that has its signature and verifies; it can be itself. */
    readonly signedFirst?: FoundDelivery | undefined;
    /** Whether the receiver's log says that it refused the time. */
    readonly isTimeRefused?: boolean;
    /** All attempts of a delivery of the sandbox, of which the delivery is the last. */
    readonly attempts?: readonly SandboxAttempt[];
    /** What a case file says about its delivery. */
    readonly caseFinding?: CaseFinding;
  };

const SOURCES = ["file", "body", "delivery"] as const;
type Source = (typeof SOURCES)[number];
type Given = VerifyOptions & { readonly file?: string | undefined };

export async function readDelivery(
  context: Context,
  options: Given,
  verification: Verification,
): Promise<DeliveryInput> {
  const source = chooseSource(options);
  checkCompanionOptions(source, options);
  const value = options[source] ?? "";
  if (source === "delivery") {
    const { last, attempts } = await readAttempts(context, options, value);
    return { ...last, attempts, isRequest: true };
  }
  if (source === "file") return readDeliveryFile(context, value, options, verification);
  const body = await readInput(context, value);
  return { body, headers: await readHeaders(context, options, body), isRequest: true };
}

function chooseSource(options: Given): Source {
  const given = SOURCES.filter((name) => options[name] !== undefined);
  const [source] = given;
  if (!source)
    throw usageError("missing_option", "no delivery given", {
      hint: "name a file with it, such as a raw request, a curl command, a HAR or a record of a log; or give --body with --headers, or --delivery",
    });
  if (given.length === 1) return source;
  const names = given.map((name) => (name === "file" ? "a file" : `--${name}`));
  throw usageError("option_conflict", `${names.join(" and ")} exclude each other`, {
    hint: "give the delivery once",
  });
}

/** As `triage` names a delivery of a file: `app.log:17`, `app.har#2`, `app.log:17#2`. */
const PLACE_IN_FILE = /^(.+?)(?::\d+)?(?:#\d+)?$/;

/**
 * Reads a delivery from a file in any form, and says what the file was taken for if that is not sure.
 * @param name of a file, also with the place of the delivery in it
 */
async function readDeliveryFile(
  context: Context,
  name: string,
  { entry, field }: VerifyOptions,
  verification: Verification,
): Promise<DeliveryInput> {
  const path = await findPath(context, name);
  const displayName = path === "-" ? "stdin" : path;
  const bytes = await readInput(context, path);
  if (isCaseFile(bytes)) return parseCaseFile(bytes, displayName);
  if (isCurl(bytes.toString("latin1", 0, 1_024))) return readCurl(context, bytes, displayName);

  const unpacked = unpack(bytes, displayName);
  const notes: ReadNotes = { skipped: 0, fields: [] };
  const deliveries = readDocument(unpacked, displayName, { paths: toFieldPaths(field) }, notes);
  const candidates = deliveries.filter(({ source }) => path === name || source === name);
  const logged = selectDelivery(candidates, displayName, entry, notes);

  const received = chooseReceived(logged, verification);
  requireJudgeable(received, verification, displayName);
  if (received.form === "log" || received.otherBodies.length > 0)
    printMessage(context, describeForm(received, displayName));
  // The lines around the only delivery of a log are about it.
  const log = received.form === "log" && deliveries.length === 1 ? String(unpacked) : "";
  return {
    ...received,
    signedFirst: findSignedFirst(deliveries, received, verification.secrets),
    isTimeRefused: isTimeRefusal([log, ...received.facts.values()].join("\n")),
  };
}

/** The file of a name that can also name a place in it. */
async function findPath({ cwd }: Context, name: string): Promise<string> {
  const isFile = await stat(resolve(cwd, name)).then(
    () => true,
    () => false,
  );
  return isFile ? name : (PLACE_IN_FILE.exec(name)?.[1] ?? name);
}

async function readCurl(context: Context, bytes: Buffer, displayName: string): Promise<DeliveryInput> {
  const readNamed = (named: string) => readInput(context, resolve(context.cwd, named));
  const request = await parseCurl(decodeText(bytes, displayName), displayName, readNamed);
  return { ...request, isRequest: true };
}

/** A verdict without what the signature is of would be wrong. */
function requireJudgeable(delivery: FoundDelivery, verification: Verification, displayName: string): void {
  const { facts, lacks } = delivery;
  if (lacks === null || isJudgeable(delivery, verification)) return;
  if (lacks !== "roles" && hasValidSignature(delivery, verification.secrets)) return;
  const { message, hint } = describeLack(lacks, 1, [...facts.keys()]);
  throw inputError(`${displayName}: ${message}`, hint);
}

/** What the file was taken for. */
function describeForm(delivery: FoundDelivery, displayName: string): string {
  const { body, form, otherBodies } = delivery;
  const what = form === "log" ? "lines of a log" : `a ${form} with a delivery`;
  const { written = null } = otherBodies.find(({ bytes }) => bytes === body) ?? delivery;
  const decoded = written === null ? "" : `, decoded from ${written.length}`;
  return `took ${displayName} for ${what}, with a body of ${body.length} bytes${decoded}`;
}

const hasValidSignature = (delivery: ReceivedDelivery, secrets: readonly string[]): boolean =>
  verify({ secrets, ...delivery }).verdict === "valid";

function findSignedFirst(
  all: readonly FoundDelivery[],
  like: ReceivedDelivery,
  secrets: readonly string[],
): FoundDelivery | undefined {
  return all.find((each) => signatureOf(each) === signatureOf(like) && hasValidSignature(each, secrets));
}

async function readHeaders(context: Context, { headers, timestamp, signature }: VerifyOptions, body: Buffer) {
  if (headers !== undefined) return parseHeaders(await readInput(context, headers), headers, body);
  return [
    ...(timestamp === undefined ? [] : [[TIMESTAMP_HEADER, timestamp] as const]),
    ...(signature === undefined ? [] : [[SIGNATURE_HEADER, signature] as const]),
  ];
}

const NEEDED_SOURCES = {
  headers: "body",
  timestamp: "body",
  signature: "body",
  entry: "file",
  field: "file",
} as const;

/** Refuses options of another source: they would be ignored. */
function checkCompanionOptions(source: Source, options: Given): void {
  const { headers, timestamp, signature, computed } = options;
  for (const [name, needed] of Object.entries(NEEDED_SOURCES))
    if (options[name as keyof typeof NEEDED_SOURCES] !== undefined && source !== needed)
      throw inputError(`--${name} needs ${needed === "body" ? "--body" : "a file"}`, "leave it out");
  const given = [headers, timestamp, signature, computed].filter((value) => value !== undefined);
  if (source === "body" && given.length === 0)
    throw inputError("--body needs the headers", "give --headers, or --timestamp and --signature");
  if (headers !== undefined && (timestamp ?? signature) !== undefined)
    throw inputError("--headers excludes --timestamp and --signature", "leave out what the headers have");
}

/** An attempt of a delivery of the local sandbox. */
interface SandboxAttempt extends ReceivedDelivery {
  readonly attempt: number;
}

/** All attempts, the first one first, and the last one. No documented route returns body and headers. */
async function readAttempts(
  context: Context,
  options: VerifyOptions,
  word: string,
): Promise<{ readonly last: SandboxAttempt; readonly attempts: readonly SandboxAttempt[] }> {
  const { baseUrl } = await findConnection(context, options);
  const use = "that returns body and headers of a delivery";
  const hint = "only a sandbox on this machine has; give a file with the delivery, or --body with --headers";
  const control = await requireControlOf(context, baseUrl, use, hint);
  const id = await completeIdOfSandbox(context, control, "delivery", word);
  const input = { params: { id } };
  const delivery = await control.send("GET /deliveries/{id}", "attempts", input);
  const { bodyBase64, endpointId } = delivery;
  const endpoints = await control.list("GET /endpoints");
  const secretPrefix = endpoints.find((endpoint) => endpoint.id === endpointId)?.secretPrefix;
  const body = Buffer.from(bodyBase64, "base64");
  const attempts = delivery.attempts.map(({ headers, number }) => ({
    // The sandbox keeps the headers of an attempt without those of its connection.
    headers: [...headers, ["Content-Length", String(body.length)] as const],
    body,
    secretPrefix,
    attempt: number,
  }));
  const last = attempts.at(-1);
  if (last) return { last, attempts };
  throw notFoundError("delivery_not_found", `delivery ${id} has had no attempt`, {
    hint: "wait for the first attempt",
  });
}
