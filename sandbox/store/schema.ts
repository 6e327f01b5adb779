import { AGENDA, SEQUENCES } from "./agenda.ts";
import { ATTEMPTS } from "./attempts.ts";
import { CLAIMS, ENROLLED_CLAIMS, OFFERS } from "./claims.ts";
import { CLIENTS } from "./clients.ts";
import * as sql from "./columns.ts";
import { DELIVERIES } from "./deliveries.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { ENTRY_PAGES } from "./entry-pages.ts";
import { EVENTS } from "./events.ts";
import { JOBS } from "./jobs.ts";
import { NOTIFICATIONS } from "./notifications.ts";
import { ACCESS_TOKENS, OAUTH_CLIENTS } from "./oauth-clients.ts";
import { ORGANIZATIONS } from "./organizations.ts";
import { REPORTS } from "./reports.ts";
import { REVENUE } from "./revenue.ts";
import { SCANS } from "./scans.ts";
import { STORED_RESPONSES } from "./stored-responses.ts";
import { defineTable } from "./table.ts";

/** Their credentials are in memory. */
export const PARTNERS = defineTable("main.partner", { id: sql.seq });

/** Every table, after those that it refers to. */
export const TABLES = [
  PARTNERS,
  OAUTH_CLIENTS,
  ACCESS_TOKENS,
  JOBS,
  REPORTS,
  STORED_RESPONSES,
  CLIENTS,
  CLAIMS,
  OFFERS,
  ENROLLED_CLAIMS,
  REVENUE,
  NOTIFICATIONS,
  ORGANIZATIONS,
  SCANS,
  ENTRY_PAGES,
  AGENDA,
  SEQUENCES,
  ENDPOINTS,
  EVENTS,
  DELIVERIES,
  ATTEMPTS,
] as const;

/** `bulk` is in SQLite's memory for what grows: sql.js keeps the main database as a file, which it copies to grow. */
export const SCHEMA = [
  "ATTACH ':memory:' AS bulk;",
  "PRAGMA bulk.page_size = 16384;",
  // One transaction takes a third of the time of one for each statement.
  "BEGIN;",
  ...TABLES.flatMap((table) => (table === SEQUENCES ? [] : table.declaration)),
  "COMMIT;",
].join("\n");
