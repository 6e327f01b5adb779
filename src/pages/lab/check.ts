import { Buffer } from "node:buffer";
import { ClaimsError } from "../../domain/errors.ts";
import { type ExplainInput, type Explanation, explain } from "../../domain/webhooks/explain/explain.ts";
import { isCurl, parseCurl } from "../../domain/webhooks/input-formats/curl.ts";
import {
  decodeText,
  inputError,
  parseJson,
  type ReceivedDelivery,
} from "../../domain/webhooks/input-formats/delivery.ts";
import { findDeliveries } from "../../domain/webhooks/input-formats/find-deliveries.ts";
import { isHttpRequest, parseHttpRequest } from "../../domain/webhooks/input-formats/http-request.ts";
import { chooseBody, describeLack } from "../../domain/webhooks/input-formats/logged-delivery.ts";
import { decompress } from "./browser/decompress.ts";

/** The bytes of a file, or pasted text, in which every line end is LF. */
export type Pasted = Uint8Array | string;

export interface LabInput {
  readonly request: Pasted;
  readonly secret: Pasted;
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
    };

/** As `verify` explains a delivery, except that a browser has no brotli. */
export const explainInBrowser = (input: ExplainInput): Explanation => explain({ ...input, decompress });

/** Verifies and explains what was pasted. Resolves to a problem if it cannot be read. */
export async function checkPasted({ request, secret, now }: LabInput): Promise<LabResult> {
  try {
    const secrets = [readSecret(secret)];
    const delivery = await readPasted(request, secrets);
    const [first, ...others] = listBodies(request, delivery).map((body) =>
      explainInBrowser({ secrets, headers: delivery.headers, body, now }),
    );
    const valid = others.find(({ verdict }) => verdict === "valid");
    const explanation = valid ?? (first as Explanation);
    return { problem: null, explanation, hasRestoredLineEnds: valid !== undefined };
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

/** As `verify FILE` reads it, except what is compressed. */
async function readPasted(pasted: Pasted, secrets: readonly string[]): Promise<ReceivedDelivery> {
  const shownAs = "the request";
  const bytes = toBuffer(pasted);
  const text = decodeText(bytes, shownAs);
  if (isCurl(text))
    return parseCurl(text, shownAs, async (path) => {
      throw inputError(
        `the body is in the file ${path}, which this page cannot read`,
        "give the headers, an empty line and the body",
      );
    });
  const isJson = /^\s*[[{]/.test(text);
  if (!isJson && isHttpRequest(text.trimStart().split(/\r?\n/, 1)[0] ?? ""))
    return parseHttpRequest(bytes, shownAs);
  const [found] = findDeliveries(isJson ? parseJson(bytes, shownAs) : text, {
    paths: {},
    gunzip: () => null,
  });
  const lacks = found?.lacks ?? null;
  if (found && lacks === null) return { ...found, body: chooseBody(found, secrets) };
  if (!found && !isJson) return parseHttpRequest(bytes, shownAs);
  throw inputError(
    lacks === null ? `${shownAs} is JSON without headers and body` : describeLack(lacks, 1, []).message,
    "paste headers, an empty line and the body; or a record with the fields headers and body",
  );
}

/** The body as it was pasted, and with the line ends that a text box has changed. */
const listBodies = (request: Pasted, { body }: ReceivedDelivery): readonly Buffer[] =>
  typeof request === "string" && body.includes("\n")
    ? [body, Buffer.from(body.toString("latin1").replaceAll("\n", "\r\n"), "latin1")]
    : [body];
