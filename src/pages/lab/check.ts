import { Buffer } from "node:buffer";
import { ClaimsError } from "../../domain/errors.ts";
import { compareDeliveries, type DeliveryComparison } from "../../domain/webhooks/compare-deliveries.ts";
import { type ExplainInput, type Explanation, explain } from "../../domain/webhooks/explain/explain.ts";
import { headerValues, SIGNATURE_HEADER } from "../../domain/webhooks/headers.ts";
import { parseCurl } from "../../domain/webhooks/input-formats/curl.ts";
import {
  decodeText,
  inputError,
  parseJson,
  type ReceivedDelivery,
} from "../../domain/webhooks/input-formats/delivery.ts";
import { parseHttpRequest } from "../../domain/webhooks/input-formats/http-request.ts";
import { findDeliveries } from "../../domain/webhooks/input-formats/log-record.ts";
import { type VerifyResult, verify } from "../../domain/webhooks/signature.ts";
import { decompress } from "./browser/decompress.ts";

/** The bytes of a file, or pasted text, in which every line end is LF. */
export type Pasted = Uint8Array | string;

export interface LabInput {
  readonly request: Pasted;
  readonly secret: Pasted;
  /** Empty without it. */
  readonly sent: Pasted;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export type LabResult =
  | { readonly problem: string; readonly hint: string }
  | {
      readonly problem: null;
      readonly explanation: Explanation;
      /** Whether the pasted body has the line ends CRLF, which a text box cannot hold. */
      readonly hasRestoredLineEnds: boolean;
      readonly comparison: (DeliveryComparison & { readonly sentVerdict: VerifyResult["verdict"] }) | null;
    };

/** As `verify` explains a delivery, except that a browser has no brotli. */
export const explainInBrowser = (input: ExplainInput): Explanation => explain({ ...input, decompress });

/** Verifies and explains what was pasted. Resolves to a problem if it cannot be read. */
export async function checkPasted({ request, secret, sent, now }: LabInput): Promise<LabResult> {
  try {
    const secrets = [readSecret(secret)];
    const delivery = await readPasted(request, "the request");
    const [first, ...others] = listBodies(request, delivery).map((body) => ({
      body,
      explanation: explainInBrowser({ secrets, headers: delivery.headers, body, now }),
    }));
    const valid = others.find(({ explanation }) => explanation.verdict === "valid");
    const { body, explanation } = valid ?? (first as NonNullable<typeof first>);
    const original = sent.length === 0 ? null : await readPasted(sent, "the request that was sent");
    return {
      problem: null,
      explanation,
      hasRestoredLineEnds: valid !== undefined,
      comparison: original && {
        sentVerdict: verify({ secrets, ...original }).verdict,
        ...compareDeliveries(original, { ...delivery, body }, secrets),
      },
    };
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    return { problem: error.message, hint: error.hint };
  }
}

const toBuffer = (pasted: Pasted): Buffer => Buffer.from(pasted as string);

function readSecret(pasted: Pasted): string {
  const bytes = toBuffer(pasted);
  const secret = bytes.toString("utf8");
  if (secret === "")
    throw inputError("no signing secret given", "paste the signingSecret of the endpoint, or open its file");
  if (Buffer.from(secret).equals(bytes)) return secret;
  throw inputError("the file of the secret is not UTF-8 text", "save it as plain text");
}

/** A curl command, JSON of any form that triage reads, or a raw request. */
async function readPasted(pasted: Pasted, shownAs: string): Promise<ReceivedDelivery> {
  const bytes = toBuffer(pasted);
  const text = decodeText(bytes, shownAs);
  if (/^\s*(?:\$ )?(?:\S*\/)?curl(?:\.exe)?\s/.test(text))
    return parseCurl(text, shownAs, async (path) => {
      throw inputError(
        `the body is in the file ${path}, which this page cannot read`,
        "give the headers, an empty line and the body",
      );
    });
  if (!/^\s*[[{]/.test(text)) return parseHttpRequest(bytes, shownAs);
  const found = [...findDeliveries(parseJson(bytes, shownAs), {})];
  const signed = found.find(({ headers }) => headerValues(headers, SIGNATURE_HEADER).length > 0) ?? found[0];
  if (signed) return signed;
  throw inputError(
    `${shownAs} is JSON without headers and body`,
    "paste headers, an empty line and the body; or a record with the fields headers and body",
  );
}

/** The body as it was pasted, and with the line ends that a text box has changed. */
const listBodies = (request: Pasted, { body }: ReceivedDelivery): readonly Buffer[] =>
  typeof request === "string" && body.includes("\n")
    ? [body, Buffer.from(body.toString("latin1").replaceAll("\n", "\r\n"), "latin1")]
    : [body];
