import type { Store } from "../store/open.ts";
import { upsertOrganization } from "../store/organizations.ts";
import type { Clock } from "./scheduler/clock.ts";

/** Nobody has ever met it either. */
const SEEDED_ORGANIZATION = {
  id: "juniper-row",
  name: "Juniper Row Claim Partners, LLC",
  contactName: "Maren Holloway",
  contactEmail: "desk@juniperrow.example",
  countryCode: "US",
} as const;

/** The organization that partner 1 already has in the sandbox. */
export function seedOrganizations(store: Store, clock: Clock): void {
  upsertOrganization(store, { partner: 1, environment: "sandbox" }, SEEDED_ORGANIZATION, clock.now());
}
