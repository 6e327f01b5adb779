import type { Context } from "koa";
import { type BodyKind, MEDIA_TYPE, type Operation } from "../../../src/contract/operation.ts";
import { isRecord } from "../../../src/domain/json.ts";
import type { Engine } from "../../engine/engine.ts";
import type { FormFields, ParsedBodies } from "../../handlers/handler.ts";
import { parseJson } from "../../wire/parse-json.ts";
import { problemError, validationError } from "../../wire/problem-error.ts";
import { readText } from "../../wire/read-body.ts";
import { requestBodyCapture } from "../request-recorder.ts";
import { withMultipart } from "./multipart.ts";
import { requireNoLoneSurrogates, requireValid } from "./validate.ts";

/** What arrived, by what the row says of its kind. */
export type ParsedRequestBody = { readonly kind: "none"; readonly content: null } | ParsedContent;

type ParsedContent = {
  [Kind in BodyKind]: { readonly kind: Kind; readonly content: ParsedBodies[Kind] };
}[BodyKind];

/** Reads what the row says the body is, hands it to `use`, and cleans up behind it. */
export async function withBody<T>(
  ctx: Context,
  { request }: Operation,
  engine: Engine,
  options: { readonly hash: boolean },
  use: (body: ParsedRequestBody) => Promise<T>,
): Promise<T> {
  if (!request) {
    await requireNoBody(ctx);
    return use({ kind: "none", content: null });
  }
  const mediaType = MEDIA_TYPE[request.kind];
  if (!ctx.is(mediaType)) {
    const sent = ctx.get("Content-Type") || "nothing";
    throw problemError("unsupported_media_type", `The body must be ${mediaType}; the request says ${sent}.`);
  }
  const { kind } = request;
  if (kind === "multipart") {
    return withMultipart(ctx, request, engine, options, (content) => use({ kind, content }));
  }
  const text = await readText(ctx.req, requestBodyCapture(ctx));
  if (kind === "form") return use({ kind, content: parseForm(text) });
  const content = parseJsonBody(text);
  const place = (pointer: string) => ({ pointer });
  await requireValid(content, request.schema, place);
  requireNoLoneSurrogates(content, place);
  return use({ kind, content });
}

/** An operation without a body takes none, or what many clients send for none: `{}`. */
async function requireNoBody(ctx: Context): Promise<void> {
  if (ctx.method === "GET" || ctx.method === "HEAD") return;
  const text = await readText(ctx.req, requestBodyCapture(ctx));
  if (text === "") return;
  if (!ctx.is("application/json")) {
    throw problemError(
      "unsupported_media_type",
      "This operation takes no body; send none, or application/json with {}.",
    );
  }
  const content = parseJsonBody(text);
  if (isRecord(content) && Object.keys(content).length === 0) return;
  throw validationError([{ pointer: "", code: "body_not_empty", detail: "This operation takes no body." }]);
}

function parseForm(text: string): FormFields {
  const fields = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const values = fields.get(name);
    if (values) values.push(value);
    else fields.set(name, [value]);
  }
  return fields;
}

function parseJsonBody(text: string): unknown {
  const value = parseJson(text);
  if (value === undefined) throw problemError("malformed_request", "The body is not JSON.");
  return value;
}
