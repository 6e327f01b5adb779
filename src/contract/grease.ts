import { assumed } from "./labels.ts";
import type { OpenStatementId } from "./statements.ts";

interface Dimension {
  /** What a program relies on if it fails under this dimension alone. */
  readonly assumption: string;
  readonly source: string;
  /** The id of the statement of the interface that leaves it open. */
  readonly gap: OpenStatementId;
}

const dimension = (gap: OpenStatementId, assumption: string): Dimension => ({
  assumption,
  gap,
  source: assumed(gap).source,
});

/** What grease varies (product.md §5): behaviour that is only assumed. The word is that of RFC 8701. */
const DIMENSIONS = {
  jobIdField: dimension("diligence", "the job id is in a field called jobId"),
  stateName: dimension("states", "the states before and after a success are called processing and completed"),
  unknownFields: dimension("resources", "a response or a payload has no fields besides the known ones"),
  timestampFormat: dimension(
    "payload",
    "X-Service-Timestamp is unix seconds, and the times of records are RFC 3339 in UTC",
  ),
  payloadForm: dimension("payload", "a webhook body has the bytes of a JSON serialiser, in one field order"),
  listOrder: dimension("paging", "the first item of a list is the newest"),
  listEnvelope: dimension("paging", "a list is in data, and its next page in nextCursor"),
  paging: dimension(
    "paging",
    "a cursor needs no encoding in a query, and a page has as many items as its limit",
  ),
  headerCase: {
    assumption: "header names come in the case in which they are documented",
    gap: "alias.headers" as const,
    source: "RFC 9110 §5.1: Field names are case-insensitive",
  },
  errorShape: dimension("errors", "an error is application/problem+json with a code"),
  successStatus: dimension("successes", "a creation answers 201, and a queued job 202"),
};

export type GreaseDimension = keyof typeof DIMENSIONS;

export const GREASE_DIMENSIONS = Object.keys(DIMENSIONS) as readonly GreaseDimension[];

/** Lists what grease varied in a response or a delivery. */
export const GREASE_HEADER = "X-Sandbox-Grease";

export const isGreaseDimension = (name: unknown): name is GreaseDimension =>
  (GREASE_DIMENSIONS as readonly unknown[]).includes(name);

export function describeDimension(name: GreaseDimension): Omit<Dimension, "gap"> {
  const { assumption, source } = DIMENSIONS[name];
  return { assumption, source };
}

export const openStatementOf = (name: GreaseDimension): OpenStatementId => DIMENSIONS[name].gap;
