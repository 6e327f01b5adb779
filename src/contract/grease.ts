import { assumed } from "./labels.ts";

/** A way in which a greased sandbox differs from the usual one. */
interface DimensionDescription {
  /** What a program that trips over it relies on. */
  readonly assumption: string;
  /** The sentence that leaves it open. */
  readonly source: string;
}

/** What a greased sandbox varies, all of it only assumed (product.md §5). */
const DIMENSIONS = {
  jobIdField: { assumption: "the job id is in a field called jobId", source: assumed("diligence").source },
  stateName: {
    assumption: "the state after a success is called completed",
    source: assumed("states").source,
  },
  unknownFields: {
    assumption: "an answer or a payload has no other fields than those seen so far",
    source: assumed("resources").source,
  },
  timestampFormat: {
    assumption: "X-Service-Timestamp is unix seconds, and the times of records are RFC 3339 in UTC",
    source: assumed("payload").source,
  },
  payloadForm: {
    assumption: "a webhook body is what a serialiser makes of it, with its fields in one order",
    source: assumed("payload").source,
  },
  listOrder: { assumption: "the first item of a list is the newest", source: assumed("paging").source },
  listEnvelope: {
    assumption: "a list is in data, and its next page in nextCursor",
    source: assumed("paging").source,
  },
  headerCase: {
    assumption: "names of headers come in the case in which they are documented",
    source: "RFC 9110 §5.1: Field names are case-insensitive",
  },
  errorShape: {
    assumption: "an error is application/problem+json with a code",
    source: assumed("errors").source,
  },
  successStatus: {
    assumption: "what makes something answers 201, and what begins something 202",
    source: assumed("successes").source,
  },
} as const satisfies Record<string, DimensionDescription>;

export type GreaseDimension = keyof typeof DIMENSIONS;

export const GREASE_DIMENSIONS = Object.keys(DIMENSIONS) as readonly GreaseDimension[];

/** Told with what it touched: in an answer of the service, and in a delivery. */
export const GREASE_HEADER = "X-Sandbox-Grease";

export const isGreaseDimension = (name: unknown): name is GreaseDimension =>
  (GREASE_DIMENSIONS as readonly unknown[]).includes(name);

/** What a program relies on that fails under this dimension alone. */
export const describeDimension = (dimension: GreaseDimension): DimensionDescription => DIMENSIONS[dimension];
