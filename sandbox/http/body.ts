import type { Context } from "koa";
import type { Operation } from "../../src/contract/operation.ts";
import type { Engine } from "../engine/engine.ts";
import type { FormFields, MultipartBody } from "../handlers/handler.ts";
import { invalid, refusal } from "../refusal.ts";
import { withMultipart } from "./multipart.ts";
import { parseBody, parseJson } from "./parse-body.ts";

export type Body = MultipartBody | FormFields | unknown;

const MEDIA_TYPE = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
} as const;

/** Reads what the row says the body is, hands it to `use`, and cleans up behind it. */
export async function withBody<T>(
  ctx: Context,
  { request }: Operation,
  engine: Engine,
  options: { readonly hash: boolean },
  use: (body: Body) => Promise<T>,
): Promise<T> {
  if (!request) {
    await refuseBody(ctx);
    return use(null);
  }
  const wanted = MEDIA_TYPE[request.kind];
  if (!ctx.is(wanted)) {
    const sent = ctx.get("Content-Type") || "nothing";
    throw refusal("unsupported_media_type", `The body must be ${wanted}; the request says ${sent}.`);
  }
  if (request.kind === "multipart") return withMultipart(ctx, request, engine, options, use);
  return use(request.kind === "form" ? await parseBody(ctx) : await parseJson(ctx));
}

/** An operation without a body takes none, or what many clients send for none: `{}`. */
async function refuseBody(ctx: Context): Promise<void> {
  if (ctx.method === "GET" || ctx.method === "HEAD" || !hasBody(ctx)) return;
  if (!ctx.is("application/json")) {
    throw refusal(
      "unsupported_media_type",
      "This operation takes no body; send none, or application/json with {}.",
    );
  }
  const body = await parseJson(ctx);
  if (JSON.stringify(body ?? {}) === "{}") return;
  throw invalid([{ pointer: "", code: "body_not_empty", detail: "This operation takes no body." }]);
}

const hasBody = (ctx: Context): boolean =>
  ctx.get("Transfer-Encoding") !== "" || (ctx.request.length ?? 0) > 0;
