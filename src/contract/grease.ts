import { assumed } from "./basis.ts";

/** A way in which a greased sandbox differs from the usual one. */
interface Dimension {
  /** What a program that trips over it relies on. */
  readonly assumption: string;
  /** The sentence that leaves it open. */
  readonly standsInFor: string;
}

/** What a greased sandbox varies, all of it only assumed (product.md §5). */
const GREASE = {
  jobIdField: {
    assumption: "the job id is in a field called jobId",
    standsInFor: assumed("diligence").source,
  },
  stateName: {
    assumption: "the state after a success is called completed",
    standsInFor: assumed("states").source,
  },
  unknownFields: {
    assumption: "an answer or a payload has no other fields than those seen so far",
    standsInFor: assumed("resources").source,
  },
  timestampFormat: {
    assumption: "X-Service-Timestamp is unix seconds, and the times of records are RFC 3339 in UTC",
    standsInFor: assumed("payload").source,
  },
  payloadForm: {
    assumption: "a webhook body is what a serialiser makes of it, with its fields in one order",
    standsInFor: assumed("payload").source,
  },
  listOrder: {
    assumption: "the first item of a list is the newest",
    standsInFor: assumed("paging").source,
  },
  listEnvelope: {
    assumption: "a list is in data, and its next page in nextCursor",
    standsInFor: assumed("paging").source,
  },
  headerCase: {
    assumption: "names of headers come in the case in which they are documented",
    standsInFor: "RFC 9110 §5.1: Field names are case-insensitive",
  },
  errorShape: {
    assumption: "an error is application/problem+json with a code",
    standsInFor: assumed("errors").source,
  },
  successStatus: {
    assumption: "what makes something answers 201, and what begins something 202",
    standsInFor: assumed("successes").source,
  },
} as const satisfies Record<string, Dimension>;

export type GreaseDimension = keyof typeof GREASE;

export const GREASE_DIMENSIONS = Object.keys(GREASE) as readonly GreaseDimension[];

/** Told with what it touched: in an answer of the service, and in a delivery. */
export const GREASE_HEADER = "X-Sandbox-Grease";

export const isGreaseDimension = (name: unknown): name is GreaseDimension =>
  (GREASE_DIMENSIONS as readonly unknown[]).includes(name);

/** What a program relies on that fails under this dimension alone. */
export const assumptionOf = (dimension: GreaseDimension): Dimension => GREASE[dimension];
