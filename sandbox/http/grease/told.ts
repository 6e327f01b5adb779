import type { Context } from "koa";
import { GREASE_HEADER } from "../../../src/contract/grease.ts";
import { told } from "../../engine/grease/choices.ts";
import { cased } from "../../engine/grease/header-case.ts";
import type { ServiceForm } from "../../engine/grease/service-form.ts";
import { traceOf } from "../trace.ts";

/** The last of an answer before it is sent: the case of its header names, and what of it is varied in all. */
export function tellVaried(ctx: Context, { choices, touched }: ServiceForm): void {
  const { res } = ctx;
  const varied = [
    ...String(res.getHeader(GREASE_HEADER) ?? "")
      .split(", ")
      .filter(Boolean),
    ...told(choices, "headerCase"),
  ];
  traceOf(ctx).varied.push(...varied);
  for (const each of varied) touched.add(each);
  if (varied.length > 0) ctx.set(GREASE_HEADER, varied.join(", "));
  if (choices.headerCase === null) return;
  for (const name of res.getHeaderNames()) {
    const value = res.getHeader(name);
    if (value !== undefined) res.setHeader(cased(name, choices.headerCase), value);
  }
}
