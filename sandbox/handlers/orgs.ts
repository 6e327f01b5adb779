import { organization as schema } from "../../src/contract/operations/organizations.ts";
import { toRecord } from "../engine/to-record.ts";
import { upsertOrganization } from "../store/organizations.ts";
import type { HandlersOf } from "./handler.ts";
import { requireOrganization } from "./require-record.ts";

export const orgs = {
  get({ caller, params }, { store }) {
    return { json: toRecord(schema, requireOrganization(store, caller, params.partnerOrgId)) };
  },

  onboard({ caller, params: { partnerOrgId: id }, body }, { store, clock }) {
    upsertOrganization(store, caller, { id, ...body }, clock.now());
    return { json: toRecord(schema, requireOrganization(store, caller, id)) };
  },
} satisfies HandlersOf<"orgs">;
