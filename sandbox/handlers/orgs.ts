import type { Organization } from "../../src/contract/organizations.ts";
import { formatTime } from "../engine/scheduler/clock.ts";
import type { Caller } from "../store/credentials.ts";
import type { Store } from "../store/open.ts";
import { upsertOrganization } from "../store/organizations.ts";
import type { HandlersOf } from "./handler.ts";
import { requireOrganization } from "./require-record.ts";

export const orgs = {
  get({ caller, params }, { store }) {
    return { json: readOrganization(store, caller, params.partnerOrgId) };
  },

  onboard({ caller, params: { partnerOrgId: id }, body }, { store, clock }) {
    upsertOrganization(store, caller, { id, ...body }, clock.now());
    return { json: readOrganization(store, caller, id) };
  },
} satisfies HandlersOf<"orgs">;

function readOrganization(store: Store, caller: Caller, id: string): Organization {
  const { onboardedAt, updatedAt, ...fields } = requireOrganization(store, caller, id);
  const { environment } = caller;
  return { ...fields, environment, onboardedAt: formatTime(onboardedAt), updatedAt: formatTime(updatedAt) };
}
