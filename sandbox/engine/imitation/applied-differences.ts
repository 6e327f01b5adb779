import { assessService } from "../../../src/contract/observed/assess.ts";
import type { ObservedService } from "../../../src/contract/observed/observed-service.ts";
import { listFieldPlaces } from "../../../src/contract/observed/places.ts";
import type { NotImitated, ObservedDifference } from "../../api/like.ts";
import type { ResponseRewriter } from "../response-rewriter.ts";

/** Notes what a sandbox has responded with, to tell which differences of the service its callers have met. */
export function createAppliedDifferences(service: ObservedService, notImitated: readonly NotImitated[]) {
  const successes = new Set<string>();
  const errors = new Set<string>();
  let differences: readonly (ObservedDifference & { readonly kind: string })[] | undefined;

  return {
    noteEvent: () => void successes.add("event"),

    follow: (rewriter: ResponseRewriter): ResponseRewriter => ({
      ...rewriter,
      rewriteResponse(operation, response) {
        successes.add(operation.id);
        return rewriter.rewriteResponse(operation, response);
      },
      rewriteItem(item, schema, operation, name) {
        successes.add(operation.id);
        return rewriter.rewriteItem(item, schema, operation, name);
      },
      rewriteError(error, document, operation) {
        errors.add("*");
        if (operation !== null) errors.add(operation);
        return rewriter.rewriteError(error, document, operation);
      },
    }),

    list(): ObservedDifference[] {
      const all = differences ?? listImitated(service, notImitated);
      differences = all;
      return all
        .filter(({ kind, operation }) => (kind === "problem" ? errors : successes).has(operation))
        .map(({ operation, subject, seen }) => ({ operation, subject, seen }));
    },
  };
}

/** The differences that the sandbox has, too. */
function listImitated(service: ObservedService, notImitated: readonly NotImitated[]) {
  const others = new Set(notImitated.map(({ subject }) => subject));
  const places = new Map(
    listFieldPlaces().map(({ operation, subject, place, field }) => [
      `${operation} ${subject}`,
      `${place}.${field}`,
    ]),
  );
  return assessService(service)
    .assumptions.filter(({ status }) => status === "differs")
    .filter(({ operation, subject }) => !others.has(places.get(`${operation} ${subject}`) ?? ""))
    .map(({ kind, operation, subject, seen }) => ({ kind, operation, subject, seen: seen.join("; ") }));
}
