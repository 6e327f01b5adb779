import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import * as sql from "./sql-table.ts";

const ORGANIZATIONS = new sql.SqlTable("organization", {
  ...sql.owner,
  id: sql.text,
  name: sql.text,
  contactName: sql.text,
  contactEmail: sql.text,
  countryCode: sql.text,
  onboardedAt: sql.integer,
  updatedAt: sql.integer,
});

type OrganizationRow = Omit<sql.RowOf<typeof ORGANIZATIONS>, keyof Caller>;

/** What a caller writes of an organization. */
type OrganizationInput = Omit<OrganizationRow, "onboardedAt" | "updatedAt">;

/** Adds an organization or replaces the one that the caller has under its id. */
export function upsertOrganization(
  store: Store,
  caller: Caller,
  { id, ...input }: OrganizationInput,
  at: number,
): void {
  const key = { ...sql.ownerOf(caller), id };
  if (findOrganization(store, caller, id)) ORGANIZATIONS.update(store, key, { ...input, updatedAt: at });
  else ORGANIZATIONS.insert(store, { ...key, ...input, onboardedAt: at, updatedAt: at });
}

export function findOrganization(store: Store, caller: Caller, id: string): OrganizationRow | undefined {
  const found = ORGANIZATIONS.find(store, { ...sql.ownerOf(caller), id });
  if (!found) return undefined;
  const { partner, environment, ...organization } = found;
  return organization;
}
