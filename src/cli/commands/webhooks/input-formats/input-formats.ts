import type { Buffer } from "node:buffer";
import { resolve } from "node:path";
import { usageError } from "../../../../domain/errors.ts";
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../../../../domain/webhooks/headers.ts";
import { parseCurl } from "../../../../domain/webhooks/input-formats/curl.ts";
import {
  decodeText,
  inputError,
  type ReceivedDelivery,
} from "../../../../domain/webhooks/input-formats/delivery.ts";
import { parseGatewayEvent } from "../../../../domain/webhooks/input-formats/gateway-event.ts";
import { parseHar } from "../../../../domain/webhooks/input-formats/har.ts";
import { parseHeaders, parseHttpRequest } from "../../../../domain/webhooks/input-formats/http-request.ts";
import type { Context } from "../../../context.ts";
import { readInput } from "../../../files/input-file.ts";
import type { VerifyOptions } from "../verify/options.ts";
import { type CaseFinding, parseCaseFile } from "./case-file.ts";
import { readSandboxDelivery } from "./sandbox-delivery.ts";

export interface DeliveryInput {
  readonly delivery: ReceivedDelivery;
  /** Null unless the delivery comes from a case file. */
  readonly caseFinding: CaseFinding | null;
}

const SOURCES = ["body", "request", "har", "curl", "event", "case", "delivery"] as const;

/** Reads the delivery from the one option that gives it. */
export async function readDelivery(context: Context, options: VerifyOptions): Promise<DeliveryInput> {
  const source = chooseSource(options);
  checkCompanionOptions(source, options);
  const value = options[source] ?? "";
  if (source === "delivery")
    return { delivery: await readSandboxDelivery(context, options, value, null), caseFinding: null };
  const bytes = await readInput(context, value);
  const shownAs = value === "-" ? "stdin" : value;
  if (source === "case") return parseCaseFile(bytes, shownAs);
  return { delivery: await parseDelivery(context, source, bytes, shownAs, options), caseFinding: null };
}

function chooseSource(options: VerifyOptions): (typeof SOURCES)[number] {
  const given = SOURCES.filter((name) => options[name] !== undefined);
  const [source] = given;
  if (!source)
    throw usageError("no_delivery", "no delivery given", {
      hint: "give --body with --headers or with --timestamp and --signature; or --request, --har, --curl, --event, --case or --delivery",
    });
  if (given.length === 1) return source;
  throw usageError(
    "option_conflict",
    `${given.map((name) => `--${name}`).join(" and ")} exclude each other`,
    { hint: "give the delivery once" },
  );
}

async function parseDelivery(
  context: Context,
  source: Exclude<(typeof SOURCES)[number], "case" | "delivery">,
  bytes: Buffer,
  shownAs: string,
  options: VerifyOptions,
): Promise<ReceivedDelivery> {
  switch (source) {
    case "body":
      return { body: bytes, headers: await readHeaders(context, options, bytes) };
    case "request":
      return parseHttpRequest(bytes, shownAs);
    case "har":
      return parseHar(bytes, shownAs, options.entry);
    case "event":
      return parseGatewayEvent(bytes, shownAs);
    case "curl":
      return parseCurl(decodeText(bytes, shownAs), shownAs, (path) =>
        readInput(context, resolve(context.cwd, path)),
      );
  }
}

async function readHeaders(context: Context, { headers, timestamp, signature }: VerifyOptions, body: Buffer) {
  if (headers !== undefined) return parseHeaders(await readInput(context, headers), headers, body);
  return [
    ...(timestamp === undefined ? [] : [[TIMESTAMP_HEADER, timestamp] as const]),
    ...(signature === undefined ? [] : [[SIGNATURE_HEADER, signature] as const]),
  ];
}

/** Refuses options of another source: they would be ignored. */
function checkCompanionOptions(source: (typeof SOURCES)[number], options: VerifyOptions): void {
  const { headers, timestamp, signature, entry, attempt } = options;
  const hasSeparateHeaders = timestamp !== undefined || signature !== undefined;
  const rules: readonly (readonly [isBroken: boolean, message: string, hint: string])[] = [
    [
      source === "body" && headers === undefined && !hasSeparateHeaders,
      "--body needs the headers",
      "give --headers, or --timestamp and --signature",
    ],
    [
      headers !== undefined && (source !== "body" || hasSeparateHeaders),
      "--headers needs --body, without --timestamp and --signature",
      "leave out what the headers already have",
    ],
    [
      hasSeparateHeaders && source !== "body",
      "--timestamp and --signature need --body",
      `leave them out: --${source} has its own headers`,
    ],
    [entry !== undefined && source !== "har", "--entry needs --har", "leave it out"],
    [
      attempt !== undefined && source !== "delivery" && options.against === undefined,
      "--attempt needs --delivery or --against",
      "leave it out",
    ],
  ];
  for (const [isBroken, message, hint] of rules) if (isBroken) throw inputError(message, hint);
}
