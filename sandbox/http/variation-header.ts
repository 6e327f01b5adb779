import { GREASE_HEADER } from "../../src/contract/grease.ts";
import { describeVariations } from "../engine/grease/choices.ts";
import { formatHeaderName } from "../engine/grease/formats.ts";
import type { ServiceVariant } from "../engine/grease/service-variant.ts";
import type { RequestContext } from "./request-state.ts";

/** Finishes a response: names everything that is varied, and writes the header names in the chosen case. */
export function setVariationHeader(ctx: RequestContext, { choices, applied }: ServiceVariant): void {
  const { res } = ctx;
  const earlier = String(res.getHeader(GREASE_HEADER) ?? "");
  const varied = [...earlier.split(", ").filter(Boolean), ...describeVariations(choices, ["headerCase"])];
  ctx.state.trace.varied.push(...varied);
  for (const each of varied) applied.add(each);
  if (varied.length > 0) ctx.set(GREASE_HEADER, varied.join(", "));
  if (choices.headerCase === null) return;
  for (const name of res.getHeaderNames()) {
    const value = res.getHeader(name);
    if (value !== undefined) res.setHeader(formatHeaderName(name, choices.headerCase), value);
  }
}
