import type { Buffer } from "node:buffer";
import { resolve } from "node:path";
import { ClaimsError } from "../../../../domain/errors.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../../../domain/webhooks/headers.ts";
import type { Context } from "../../../context.ts";
import { readInput } from "../../../files/input-file.ts";
import type { DeliveryInputOptions } from "../options.ts";
import { type CaseFile, parseCaseFile } from "./case-file.ts";
import { parseCurl } from "./curl.ts";
import { type HeaderPair, inputError, type ReceivedDelivery } from "./delivery.ts";
import { parseGatewayEvent } from "./gateway-event.ts";
import { parseHar } from "./har.ts";
import { parseHeaders } from "./headers.ts";
import { parseHttpRequest } from "./http-request.ts";

/** A delivery, and what its case file says of it. */
export interface DeliveryInput {
  readonly delivery: ReceivedDelivery;
  readonly caseFile: CaseFile | null;
}

const SOURCES = ["body", "request", "har", "curl", "event", "case", "delivery"] as const;

/**
 * Reads the delivery in the one form in which it is given.
 *
 * @param readFromSandbox asks for a delivery by its id
 */
export async function readDelivery(
  context: Context,
  options: DeliveryInputOptions,
  readFromSandbox: (id: string) => Promise<ReceivedDelivery>,
): Promise<DeliveryInput> {
  const given = SOURCES.filter((name) => options[name] !== undefined);
  const [source, other] = given;
  if (source === undefined || other !== undefined) throw sourceCountError(given);
  checkCompanionOptions(source, options);
  const path = options[source] ?? "";
  if (source === "delivery") return { delivery: await readFromSandbox(path), caseFile: null };
  const bytes = await readInput(context, path);
  const shownAs = path === "-" ? "stdin" : path;
  if (source === "case") {
    const caseFile = parseCaseFile(bytes, shownAs);
    return { delivery: caseFile.delivery, caseFile };
  }
  const delivery =
    source === "body"
      ? { body: bytes, headers: await readHeaders(context, options) }
      : await PARSERS[source](bytes, shownAs, { entry: options.entry, context });
  return { delivery, caseFile: null };
}

type Parser = (
  bytes: Buffer,
  shownAs: string,
  more: { readonly entry: number | undefined; readonly context: Context },
) => ReceivedDelivery | Promise<ReceivedDelivery>;

const PARSERS: Readonly<Record<Exclude<(typeof SOURCES)[number], "body" | "case" | "delivery">, Parser>> = {
  request: parseHttpRequest,
  har: (bytes, shownAs, { entry }) => parseHar(bytes, shownAs, entry),
  curl: (bytes, shownAs, { context }) =>
    parseCurl(bytes.toString("utf8"), shownAs, (path) => readInput(context, resolve(context.cwd, path))),
  event: parseGatewayEvent,
};

async function readHeaders(
  context: Context,
  { headers, timestamp, signature }: DeliveryInputOptions,
): Promise<readonly HeaderPair[]> {
  if (headers !== undefined) return parseHeaders(await readInput(context, headers), headers);
  return [
    ...(timestamp === undefined ? [] : [[TIMESTAMP_HEADER, timestamp] as const]),
    ...(signature === undefined ? [] : [[SIGNATURE_HEADER, signature] as const]),
  ];
}

const sourceCountError = (given: readonly string[]): ClaimsError =>
  given.length === 0
    ? new ClaimsError("usage", "no_delivery", "there is no delivery to verify", {
        hint: "give --body with --headers or with --timestamp and --signature; or --request, --har, --curl, --event, --case or --delivery",
      })
    : new ClaimsError(
        "usage",
        "two_deliveries",
        `${given.map((name) => `--${name}`).join(" and ")} exclude each other`,
        {
          hint: "give the delivery in one form",
        },
      );

/** What says something of one form is refused beside another: it would go unread. */
function checkCompanionOptions(source: (typeof SOURCES)[number], options: DeliveryInputOptions): void {
  const { headers, timestamp, signature, entry, attempt } = options;
  const hasSeparateHeaders = timestamp !== undefined || signature !== undefined;
  if (source === "body" && headers === undefined && !hasSeparateHeaders)
    throw inputError(
      "--body alone says nothing of the headers",
      "give --headers, or --timestamp and --signature",
    );
  if (headers !== undefined && (source !== "body" || hasSeparateHeaders))
    throw inputError("--headers stands beside --body alone", "leave out what the headers say already");
  if (hasSeparateHeaders && source !== "body")
    throw inputError(
      "--timestamp and --signature stand beside --body alone",
      `leave them out: --${source} has headers of its own`,
    );
  if (entry !== undefined && source !== "har")
    throw inputError("--entry stands beside --har alone", "leave it out");
  if (attempt !== undefined && source !== "delivery")
    throw inputError("--attempt stands beside --delivery alone", "leave it out");
}
