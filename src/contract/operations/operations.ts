import * as claims from "./claims.ts";
import * as clients from "./clients.ts";
import * as diligence from "./diligence.ts";
import { openapi } from "./document.ts";
import * as litigation from "./litigation.ts";
import * as notifications from "./notifications.ts";
import { token } from "./oauth.ts";
import * as offers from "./offers.ts";
import type { Operation } from "./operation.ts";
import * as organizations from "./organizations.ts";
import * as revenue from "./revenue.ts";
import * as scans from "./scans.ts";
import * as webhooks from "./webhooks.ts";

export const OPERATIONS = {
  webhooks: {
    create: webhooks.create,
    endpoints: webhooks.endpoints,
    deliveries: webhooks.deliveries,
    test: webhooks.test,
  },
  oauth: { token },
  document: { openapi },
  diligence: {
    submit: diligence.submit,
    status: diligence.status,
    report: diligence.reportOperation,
    dataset: diligence.datasetOperation,
    resume: diligence.resume,
  },
  clients: { create: clients.create, list: clients.list },
  claims: { create: claims.create, list: claims.list, status: claims.status },
  offers: { create: offers.create, list: offers.list },
  litigation: { enroll: litigation.enroll },
  revenue: { ledger: revenue.ledger, dashboard: revenue.dashboardOperation },
  scans: { create: scans.create, get: scans.get, summary: scans.summary },
  orgs: { get: organizations.get, onboard: organizations.onboard },
  notifications: { create: notifications.create },
} as const satisfies Record<string, Record<string, Operation>>;

const listIds = <Rows extends Record<string, Record<string, Operation>>>(
  rows: Rows,
): readonly { [Noun in keyof Rows]: Rows[Noun][keyof Rows[Noun]]["id"] }[keyof Rows][] =>
  Object.values(rows).flatMap((verbs) => Object.values(verbs).map(({ id }) => id));

/** The ids of all operations, as in `diligence.submit`. */
export const OPERATION_IDS = listIds(OPERATIONS);

// Of the list: declarations that only name operations need none of their schemas.
export type OperationId = (typeof OPERATION_IDS)[number];

export const NOUN_SUMMARIES: Readonly<Record<keyof typeof OPERATIONS, string>> = {
  webhooks: "Webhook endpoints, deliveries and test events",
  oauth: "Sandbox OAuth client credentials",
  document: "The contract itself",
  diligence: "Diligence jobs, their report and dataset",
  clients: "Clients: the importers that claims are made for",
  claims: "Claims, each made from a diligence job",
  offers: "Financing offers on claims",
  litigation: "Enrollment of claims in litigation",
  revenue: "Revenue: ledger and dashboard",
  scans: "Portfolio scans",
  orgs: "Partner organizations",
  notifications: "Notification requests",
};

/** The same rows as one list, in the order of the interface. */
export const ALL_OPERATIONS: readonly Operation[] = Object.values(OPERATIONS).flatMap((noun) =>
  Object.values(noun),
);

export const findOperation = (operation: string | null): Operation | undefined =>
  ALL_OPERATIONS.find(({ id }) => id === operation);
