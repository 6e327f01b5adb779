import { isRecord } from "../json.ts";
import type { DiligenceReport } from "./report.ts";

/** A type by its name, a list as its only item, and `*` for the members of any name. */
type Shape =
  | "string"
  | "string?"
  | "number"
  | "boolean"
  | readonly [Shape]
  | { readonly [name: string]: Shape };

const subtotal = { entries: "number", ieepaDutyCents: "number" } as const;

const REPORT = {
  sellerName: "string",
  asOf: "string",
  layout: "string",
  complete: "boolean",
  totals: {
    entriesSubmitted: "number",
    entriesAccepted: "number",
    entriesRejected: "number",
    entriesDeferred: "number",
    enteredValueCents: "number",
    ieepaDutyCents: "number",
    interestCents: "number",
    estimatedClaimCents: "number",
  },
  byRoute: { "*": subtotal },
  byGrade: { "*": subtotal },
  rejections: [
    {
      line: "number",
      entryNumber: "string?",
      errors: [{ code: "string", column: "string", detail: "string" }],
    },
  ],
  rf8Review: {
    outcome: "string",
    score: "number",
    conditions: ["string"],
    checks: [
      {
        code: "string",
        severity: "string",
        status: "string",
        entryCount: "number",
        ieepaDutyCents: "number",
      },
    ],
    documentsRequested: ["string"],
    nearestDeadline: "string?",
    urgentEntryCount: "number",
  },
} as const satisfies Shape;

/** Whether a report of a service has the fields of ours, which the interface (§2) does not promise. */
export const isDiligenceReport = (value: unknown): value is DiligenceReport => hasShape(value, REPORT);

function hasShape(value: unknown, shape: Shape): boolean {
  if (typeof shape === "string") {
    const isMissing = shape.endsWith("?") && value === null;
    return isMissing || typeof value === shape.replace("?", "");
  }
  if (isList(shape)) return Array.isArray(value) && value.every((item) => hasShape(item, shape[0]));
  if (!isRecord(value)) return false;
  const { "*": any, ...members } = shape;
  return (
    Object.entries(members).every(([name, inner]) => hasShape(value[name], inner)) &&
    (any === undefined || Object.values(value).every((member) => hasShape(member, any)))
  );
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);
