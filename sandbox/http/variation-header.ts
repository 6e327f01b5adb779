import type { Context } from "koa";
import { GREASE_HEADER } from "../../src/contract/grease.ts";
import { describeVariations } from "../engine/grease/choices.ts";
import { formatHeaderName } from "../engine/grease/header-case.ts";
import type { ServiceVariant } from "../engine/grease/service-variant.ts";
import { getTrace } from "./request-trace.ts";

/** The last of an answer before it is sent: the case of its header names, and what of it is varied in all. */
export function setVariationHeader(ctx: Context, { choices, applied: touched }: ServiceVariant): void {
  const { res } = ctx;
  const variations = [
    ...String(res.getHeader(GREASE_HEADER) ?? "")
      .split(", ")
      .filter(Boolean),
    ...describeVariations(choices, "headerCase"),
  ];
  getTrace(ctx).varied.push(...variations);
  for (const each of variations) touched.add(each);
  if (variations.length > 0) ctx.set(GREASE_HEADER, variations.join(", "));
  if (choices.headerCase === null) return;
  for (const name of res.getHeaderNames()) {
    const value = res.getHeader(name);
    if (value !== undefined) res.setHeader(formatHeaderName(name, choices.headerCase), value);
  }
}
