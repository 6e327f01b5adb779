import type { Context } from "koa";
import type { KoaBodyMiddlewareOptions } from "koa-body";
import type { FormFields } from "../handlers/handler.ts";
import { type Refusal, refusal } from "../refusal.ts";

/** A body that is not a file (product.md §5). */
const MAX_BODY_BYTES = 1024 * 1024;

/** Reads the body with koa-body, which is loaded with the first body: its import takes longer than the rest of a start. */
export async function parseBody(
  ctx: Context,
  options: Pick<KoaBodyMiddlewareOptions, never> & { formidable?: object } = {},
): Promise<FormFields> {
  const body = await parseRaw(ctx, options);
  return new Map(Object.entries(body ?? {}).map(([name, value]) => [name, [value].flat().map(String)]));
}

export async function parseJson(ctx: Context): Promise<unknown> {
  return parseRaw(ctx, {});
}

async function parseRaw(ctx: Context, options: { formidable?: object }): Promise<unknown> {
  const { koaBody } = await import("koa-body");
  const parse = koaBody({
    ...options,
    multipart: true,
    jsonStrict: false,
    jsonLimit: MAX_BODY_BYTES,
    formLimit: MAX_BODY_BYTES,
    patchNode: false,
  });
  try {
    await parse(ctx, async () => undefined);
  } catch (error) {
    // Nobody will read the answer, but a caller that hangs up is no failure of ours.
    if (ctx.req.destroyed && !ctx.req.complete)
      throw refusal("malformed_request", "The body ended too early.");
    throw asRefusal(error) ?? error;
  }
  return ctx.request.body;
}

/** formidable names the status `httpCode`, co-body `status`; anything else is our own failure. */
function asRefusal(error: unknown): Refusal | null {
  if (!(error instanceof Error)) return null;
  const { httpCode, status } = error as { httpCode?: number; status?: number };
  const code = httpCode ?? status;
  if (code === undefined) return null;
  if (code === 413) return refusal("body_too_large", `The body is too large: ${error.message}.`);
  if (code === 415) return refusal("unsupported_media_type", `The body cannot be decoded: ${error.message}.`);
  return refusal("malformed_request", `The body cannot be read: ${error.message}.`);
}
