import { Readable } from "node:stream";
import type { Context, Middleware } from "koa";
import { parseJsonText } from "../../src/domain/json.ts";
import { ProblemError, problemError } from "./problem-error.ts";
import { type ChunkObserver, MAX_BODY_BYTES, tooLarge } from "./read-body.ts";
import { readUtf8 } from "./read-utf8.ts";

/**
 * koa-body parses JSON and forms: `ctx.request.body` is the value, `ctx.request.rawBody` its text, both undefined without a
 * body. Files have another reader: with `multipart`, koa-body 8.0.1 ends the process on a text part with
 * `Content-Transfer-Encoding: 8bit`.
 */
export function parseBody(
  observe: (ctx: Context) => ChunkObserver | undefined = () => undefined,
): Middleware {
  let loaded: Promise<Middleware> | undefined;
  return async (ctx, next) => {
    // With the first body, because it takes longer to load than Koa.
    loaded ??= loadKoaBody();
    const koaBody = await loaded;
    const { req } = ctx;
    const decoded = Readable.from(readUtf8(req, observe(ctx)));
    // koa-body reads `ctx.req` and decodes it by its headers.
    ctx.req = Object.assign(decoded, { headers: {} }) as unknown as typeof req;
    try {
      await koaBody(ctx, async () => undefined);
    } finally {
      ctx.req = req;
      decoded.destroy();
    }
    return next();
  };
}

async function loadKoaBody(): Promise<Middleware> {
  const { koaBody } = await import("koa-body");
  return koaBody({
    multipart: false,
    text: false,
    jsonStrict: false,
    jsonLimit: MAX_BODY_BYTES,
    formLimit: MAX_BODY_BYTES,
    includeUnparsed: true,
    // A bracket or a dot is part of a name, and of two equal names the first counts: who reads the form refuses them.
    queryString: {
      allowDots: false,
      depth: 0,
      parseArrays: false,
      plainObjects: true,
      duplicates: "first",
      parameterLimit: Number.POSITIVE_INFINITY,
    } as object,
    onError(error) {
      throw toProblem(error);
    },
  });
}

/** @param error of co-body, with a status, and with the text as `body` if it cannot be parsed */
function toProblem(error: Error & { readonly status?: number; readonly body?: string }): Error {
  if (error instanceof ProblemError) return error;
  if (error.status === 413) return tooLarge();
  if (error.body === undefined) return error;
  const isJson = parseJsonText(error.body) !== undefined;
  const detail = isJson
    ? 'The body has a field "__proto__", which can change what other fields mean.'
    : "The body is not JSON.";
  return problemError("malformed_request", detail);
}
