import type { Caller } from "./credentials.ts";
import type { Store } from "./open.ts";
import { integer, owner, ownerOf, type RowOf, SqlTable, text } from "./sql-table.ts";

const ORGANIZATIONS = new SqlTable("organization", {
  ...owner,
  id: text,
  name: text,
  contactName: text,
  contactEmail: text,
  countryCode: text,
  onboardedAt: integer,
  updatedAt: integer,
});

type OrganizationRow = Omit<RowOf<typeof ORGANIZATIONS>, keyof Caller>;

/** What a caller writes of an organization. */
type OrganizationInput = Omit<OrganizationRow, "onboardedAt" | "updatedAt">;

/** Adds an organization or replaces the one that the caller has under its id. */
export function upsertOrganization(
  store: Store,
  caller: Caller,
  { id, ...input }: OrganizationInput,
  at: number,
): void {
  const key = { ...ownerOf(caller), id };
  if (findOrganization(store, caller, id)) ORGANIZATIONS.update(store, key, { ...input, updatedAt: at });
  else ORGANIZATIONS.insert(store, { ...key, ...input, onboardedAt: at, updatedAt: at });
}

export function findOrganization(store: Store, caller: Caller, id: string): OrganizationRow | undefined {
  const found = ORGANIZATIONS.find(store, { ...ownerOf(caller), id });
  if (!found) return undefined;
  const { partner, environment, ...organization } = found;
  return organization;
}
