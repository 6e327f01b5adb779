import type { Caller } from "./credentials.ts";
import type { SqlValue, Store } from "./open.ts";

/** What a caller writes of an organization. */
export interface OrganizationInput {
  readonly id: string;
  readonly name: string;
  readonly contactName: string;
  readonly contactEmail: string;
  readonly countryCode: string;
}

/** Times in milliseconds. */
export interface OrganizationRow extends OrganizationInput {
  readonly onboardedAt: number;
  readonly updatedAt: number;
}

/** Keeps an organization, in place of the one that the caller has under its id. */
export function upsertOrganization(
  store: Store,
  { partner, environment }: Caller,
  { id, name, contactName, contactEmail, countryCode }: OrganizationInput,
  at: number,
): void {
  store.run(
    `INSERT INTO organization (partner, environment, id, name, contact_name, contact_email, country_code,
       onboarded_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET name = excluded.name, contact_name = excluded.contact_name,
       contact_email = excluded.contact_email, country_code = excluded.country_code,
       updated_at = excluded.updated_at`,
    [partner, environment, id, name, contactName, contactEmail, countryCode, at, at],
  );
}

/** The caller's organization of that id. */
export function findOrganization(
  store: Store,
  { partner, environment }: Caller,
  id: string,
): OrganizationRow | undefined {
  const row = store.get(
    `SELECT id, name, contact_name, contact_email, country_code, onboarded_at, updated_at FROM organization
     WHERE partner = ? AND environment = ? AND id = ?`,
    [partner, environment, id],
  );
  return row && toOrganizationRow(row);
}

const toOrganizationRow = (row: SqlValue[]): OrganizationRow => ({
  id: row[0] as string,
  name: row[1] as string,
  contactName: row[2] as string,
  contactEmail: row[3] as string,
  countryCode: row[4] as string,
  onboardedAt: row[5] as number,
  updatedAt: row[6] as number,
});
