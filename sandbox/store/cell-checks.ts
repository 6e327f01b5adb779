import { CLAIM_STATES, OFFER_STATES } from "../../src/domain/claims/states.ts";
import { JOB_STATES } from "../../src/domain/diligence/states.ts";
import { ENVIRONMENTS } from "../../src/domain/environments.ts";
import { SCAN_MODES, SCAN_STATES } from "../../src/domain/scans/states.ts";
import { MAX_TIME_MS, MIN_TIME_MS } from "../../src/domain/time-range.ts";
import { DELIVERY_STATES } from "../../src/domain/webhooks/deliveries.ts";
import { ENDPOINT_STATES, ENVIRONMENT_SCOPES } from "../../src/domain/webhooks/endpoints.ts";
import type { SqlValue } from "./open.ts";

/** The values of columns that hold one of a few words, by column or by table and column. */
const ENUM_VALUES: Readonly<Record<string, readonly string[]>> = {
  environment: ENVIRONMENTS,
  "main.job.state": JOB_STATES,
  "main.scan.state": SCAN_STATES,
  "main.scan.mode": SCAN_MODES,
  "main.claim.status": CLAIM_STATES,
  "main.offer.status": OFFER_STATES,
  "bulk.endpoint.status": ENDPOINT_STATES,
  "bulk.endpoint.environment_scope": ENVIRONMENT_SCOPES,
  "bulk.delivery.status": DELIVERY_STATES,
  "bulk.attempt.trigger": ["schedule", "resend"],
};

const MS_PER_DAY = 86_400_000;

type CellCheck = (cell: SqlValue | undefined) => boolean;

/** Checks the cells of a column that are not null. `type` is the type in the schema. */
export function createCellCheck(table: string, column: string, type: string): CellCheck {
  const values = ENUM_VALUES[`${table}.${column}`] ?? ENUM_VALUES[column];
  if (values) return (cell) => typeof cell === "string" && values.includes(cell);
  if (type === "TEXT") return (cell) => typeof cell === "string";
  if (type === "BLOB") return (cell) => ArrayBuffer.isView(cell);
  if (type !== "INTEGER") return () => true;
  if (column === "as_of") return isBetween(MIN_TIME_MS / MS_PER_DAY, MAX_TIME_MS / MS_PER_DAY);
  if (/(^|_)at$|^failing_since$/.test(column)) return isBetween(MIN_TIME_MS, MAX_TIME_MS);
  return Number.isSafeInteger;
}

const isBetween =
  (least: number, most: number): CellCheck =>
  (cell) =>
    typeof cell === "number" && cell >= least && cell <= most;
