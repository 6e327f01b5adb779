import { formatCount } from "../../domain/numbers.ts";
import { listRouteNames } from "../routes.ts";
import { assessService } from "./assess.ts";
import type { Facts, ObservedService } from "./observed-service.ts";
import { listFieldPlaces } from "./places.ts";

type Assessment = ObservedService["assumptions"][number];

/** How the assumptions changed since a service was compared with them. */
export interface AssumptionChange {
  readonly change: "new" | "gone" | "status";
  readonly assumption: Pick<Assessment, "operation" | "kind" | "subject">;
  /** Before and now. */
  readonly statuses: readonly [before: Assessment["status"] | null, now: Assessment["status"] | null];
}

/**
 * The differences between the contract that a service was compared with and the current one; null if it is the same.
 *
 * @param contractHash of the current contract
 */
export function listChanges(service: ObservedService, contractHash: string): AssumptionChange[] | null {
  if (service.contractHash === contractHash) return null;
  const keyOf = ({ operation, kind, subject }: AssumptionChange["assumption"]) =>
    JSON.stringify([operation, kind, subject]);
  const before = new Map(service.assumptions.map((each) => [keyOf(each), each]));
  const now = new Map(
    assessService(keepCurrentPlaces(service)).assumptions.map((each) => [keyOf(each), each]),
  );
  const keys = [...new Set([...before.keys(), ...now.keys()])];
  return keys.flatMap((key): AssumptionChange[] => {
    const [old, current] = [before.get(key), now.get(key)];
    const assumption = current ?? old;
    if (!assumption || old?.status === current?.status) return [];
    const change = old === undefined ? "new" : current === undefined ? "gone" : "status";
    return [{ change, assumption, statuses: [old?.status ?? null, current?.status ?? null] }];
  });
}

const MAX_LISTED = 20;

/** Lines for a person about a file that was made with another contract; none for the same contract. */
export function describeStaleness(service: ObservedService, contractHash: string, shownAs: string): string[] {
  const changes = listChanges(service, contractHash);
  if (changes === null) return [];
  const count = (wanted: AssumptionChange["change"], one: string, many: string) =>
    formatCount(changes.filter(({ change }) => change === wanted).length, one, many);
  const hidden = changes.length - MAX_LISTED;
  return [
    `warning: ${shownAs} was compared with another contract (${service.contractHash.slice(0, 12)}…, now ${contractHash.slice(0, 12)}…): ` +
      `${count("new", "assumption is", "assumptions are")} new, ${count("gone", "is", "are")} gone, ${count("status", "has", "have")} another status`,
    ...changes
      .slice(0, MAX_LISTED)
      .map(
        ({ change, assumption: { operation, subject }, statuses: [before, now] }) =>
          `${change === "status" ? `${before}, now ${now}` : change}: ${operation} ${subject}`,
      ),
    ...(hidden > 0 ? [`and ${hidden} more`] : []),
  ];
}

/** Leaves out the fields and routes that the contract no longer has. */
export function keepCurrentPlaces<F extends Pick<Facts, "responses" | "fields">>(facts: F): F {
  const routes = listRouteNames();
  const places = new Set(listFieldPlaces().map(({ place, field }) => `${place} ${field}`));
  return {
    ...facts,
    responses: facts.responses.filter(({ operation, template }) => routes.has(`${operation} ${template}`)),
    fields: facts.fields.filter(({ place, field }) => places.has(`${place} ${field}`)),
  };
}
