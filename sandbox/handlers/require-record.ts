import type { FieldError, ProblemCode } from "../../src/contract/problems.ts";
import { CLAIMS } from "../store/claims.ts";
import { CLIENTS } from "../store/clients.ts";
import type { Caller } from "../store/credentials.ts";
import { JOBS } from "../store/jobs.ts";
import { ORGANIZATIONS } from "../store/organizations.ts";
import { SCANS } from "../store/scans.ts";
import type { Store } from "../store/store.ts";
import type { Table } from "../store/table.ts";
import { problemError, problemErrorAt } from "../wire/problem-error.ts";

export type ReferencePlace = Pick<FieldError, "pointer" | "parameter">;

/** Finds a record of the caller; another partner's is not found (product.md §5). Without a place, the path names it. */
const requireRecord =
  <Row extends Caller & { readonly id: string }>(table: Table<Row, never>, code: ProblemCode, noun: string) =>
  (store: Store, caller: Caller, id: string, place?: ReferencePlace): Row => {
    const { partner, environment } = caller;
    const row = store.remember(`${table.name} ${partner} ${environment} ${id}`, () =>
      table.find(store, { partner, environment, id } as Partial<Row>),
    );
    if (row) return row;
    const detail = `There is no ${noun} ${id} for this credential in ${caller.environment}.`;
    throw place ? problemErrorAt(code, { ...place, code: "not_found", detail }) : problemError(code, detail);
  };

export const requireClaim = requireRecord(CLAIMS, "claim_not_found", "claim");
export const requireClient = requireRecord(CLIENTS, "client_not_found", "client");
export const requireJob = requireRecord(JOBS, "job_not_found", "job");
export const requireOrganization = requireRecord(
  ORGANIZATIONS,
  "organization_not_found",
  "partner organization",
);
export const requireScan = requireRecord(SCANS, "scan_not_found", "scan");
