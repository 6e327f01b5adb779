import type { Organization } from "../../src/contract/organizations.ts";
import type { Engine } from "../engine/engine.ts";
import { formatTime } from "../engine/scheduler/clock.ts";
import type { Caller } from "../store/credentials.ts";
import { findOrganization, upsertOrganization } from "../store/organizations.ts";
import type { HandlersOf } from "./handler.ts";
import { recordNotFound } from "./record-not-found.ts";

export const orgs = {
  get({ caller, params }, { store }) {
    return { json: readOrganization(store, caller, params.partnerOrgId) };
  },

  onboard({ caller, params, body }, { store, clock }) {
    const id = params.partnerOrgId;
    upsertOrganization(store, caller, { id, ...body }, clock.now());
    return { json: readOrganization(store, caller, id) };
  },
} satisfies HandlersOf<"orgs">;

function readOrganization(store: Engine["store"], caller: Caller, id: string): Organization {
  const found = findOrganization(store, caller, id);
  if (!found)
    throw recordNotFound(caller, { code: "organization_not_found", what: "partner organization", id });
  const { onboardedAt, updatedAt, ...facts } = found;
  return {
    ...facts,
    environment: caller.environment,
    onboardedAt: formatTime(onboardedAt),
    updatedAt: formatTime(updatedAt),
  };
}
