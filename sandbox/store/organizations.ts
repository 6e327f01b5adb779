import { each } from "../../src/domain/each.ts";
import * as sql from "./columns.ts";
import type { Caller } from "./credentials.ts";
import type { Store } from "./store.ts";
import { defineTable, type NewRowOf } from "./table.ts";

export const ORGANIZATIONS = defineTable(
  "main.organization",
  {
    ...sql.owner,
    /** The id is the caller's choice. */
    ...each(() => sql.text, "id", "name", "contactName", "contactEmail", "countryCode"),
    onboardedAt: sql.time,
    updatedAt: sql.time,
  },
  { key: ["partner", "environment", "id"] },
);

/** Adds an organization or replaces the one that the caller has under its id. */
export function upsertOrganization(
  store: Store,
  caller: Caller,
  { id, ...input }: Omit<NewRowOf<typeof ORGANIZATIONS>, keyof Caller | "onboardedAt" | "updatedAt">,
  at: number,
): void {
  const key = { ...caller, id };
  if (ORGANIZATIONS.find(store, key)) ORGANIZATIONS.update(store, key, { ...input, updatedAt: at });
  else ORGANIZATIONS.insert(store, { ...key, ...input, onboardedAt: at, updatedAt: at });
}

export const listLatestOrganizations = (store: Store, limit: number) =>
  ORGANIZATIONS.select(store, "ORDER BY updated_at DESC LIMIT ?", [limit]);
