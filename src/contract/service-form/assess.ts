import type { AssumptionStatus } from "../assumption-statuses.ts";
import type { Assumption } from "../assumptions.ts";
import { findOperation } from "../operations.ts";
import { findContractResponse } from "./contract-records.ts";
import { describeRows } from "./describe-rows.ts";
import type { ServiceForm } from "./service-form.ts";

interface Assessment {
  readonly status: AssumptionStatus;
  readonly seen: readonly string[];
}

const UNKNOWN: Assessment = { status: "unknown", seen: [] };

/** Compares an assumption with the form: what was seen and has no row is confirmed. */
export function assessForm(form: ServiceForm, { operation, kind, subject }: Assumption): Assessment {
  const rows = describeRows(form).filter((each) => each.operation === operation);
  const contract = findOperation(operation);
  const isSeen = form.evidence?.responses.some((each) => each.operation === operation && each.status < 300);
  const find = (...names: string[]) => rows.filter((row) => names.includes(row.subject));
  if (kind === "field") {
    const field = subject.replace(/^data\[\]\.?/, "");
    const name = contract ? findContractResponse(contract).record.name : operation;
    const differing =
      subject === "nextCursor" ? find("paging") : find(field === "" ? "data" : field, subject);
    if (differing.length > 0) return { status: "differs", seen: differing.map(({ seen }) => seen) };
    const isOpen = form.open?.some((each) => each.subject === `${name}.${field}`);
    return isSeen && !isOpen && field !== "" ? { status: "confirmed", seen: [field] } : UNKNOWN;
  }
  if (kind === "response") {
    const status = form.operations?.[operation]?.status;
    if (status !== undefined) return { status: "differs", seen: [String(status)] };
    return isSeen ? { status: "confirmed", seen: [String(contract?.response.status)] } : UNKNOWN;
  }
  if (kind === "problem" && operation === "*" && form.errors)
    return { status: "differs", seen: rows.map((row) => `${row.subject}: ${row.seen}`) };
  return UNKNOWN;
}
