import type { FaultRule } from "../../../../../sandbox/index.ts";

/** Which requests a rule is about, and how many of them. */
export function describeMatch({ match, skip, times, probability }: FaultRule): string {
  const { operation, method, path, header = {}, nth } = match;
  const of = [method, operation, path].filter(Boolean).join(" ") || "any request";
  const headers = Object.entries(header).map(([name, value]) =>
    value === true ? `with ${name}` : `with ${name}: ${value}`,
  );
  const counted = [
    nth !== undefined && `only number ${nth}`,
    skip > 0 && `not the first ${skip}`,
    times !== null && (times === 1 ? "once" : `${times} times`),
    probability < 1 && `with probability ${probability}`,
  ].filter(Boolean);
  return [[of, ...headers].join(" "), ...counted].join(", ");
}
