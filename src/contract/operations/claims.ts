import type { Static } from "typebox";
import * as Type from "typebox";
import { CLAIM_STATES } from "../../domain/claims/states.ts";
import { each } from "../../domain/each.ts";
import { assumed, documented, IN_ALIAS_MAP, rules } from "../labels.ts";
import * as s from "../schemas.ts";
import { defineOperation } from "./operation.ts";

const resourcesBasis = assumed("resources");

const state = () => Type.Enum([...CLAIM_STATES]);

export const claim = s.labelledObject(resourcesBasis, {
  id: s.uuid(),
  clientId: s.uuid(),
  clientName: Type.String(),
  jobId: s.uuid(),
  status: state(),
  reviewOutcome: Type.Enum(["clear", "conditional", "declined"], {
    description: "The outcome of the job's rf8Review",
  }),
  currency: s.currency(),
  entryCount: s.count(),
  ...each(s.cents, "ieepaDutyCents", "interestCents", "estimatedClaimCents", "litigationCents"),
  byGrade: s.byGrade(
    resourcesBasis,
    s.labelledObject(resourcesBasis, { entries: s.count(), claimCents: s.cents() }),
  ),
  createdAt: s.dateTime(),
  financedAt: s.nullable(s.dateTime()),
  enrolledAt: s.nullable(s.dateTime()),
});

export const claimStatus = s.labelledObject(resourcesBasis, {
  claimId: s.uuid(),
  status: state(),
  history: Type.Array(s.labelledObject(resourcesBasis, { status: state(), at: s.dateTime() }), {
    description: "Every state of the claim, the first one first",
  }),
});

export type Claim = Static<typeof claim>;
export type ClaimStatus = Static<typeof claimStatus>;

export const create = defineOperation({
  id: "claims.create",
  summary: "Create the claim of a completed diligence job, for a client",
  method: "POST",
  path: "/v1/claims",
  ...IN_ALIAS_MAP,
  request: s.jsonBody(resourcesBasis, {
    clientId: s.idReference("client"),
    jobId: s.idReference("diligence job"),
  }),
  response: { status: 201, label: resourcesBasis, schema: claim },
  problems: ["client_not_found", "job_not_found", "job_not_completed", "job_already_claimed"],
  behaviours: rules(
    assumed("rules"),
    "The amounts are those of the job's report; a job has at most one claim.",
    "A partial job must be resumed first: its report is not complete.",
    "A new claim is open.",
  ),
});

export const list = defineOperation({
  id: "claims.list",
  summary: "List the claims",
  method: "GET",
  path: "/v1/claims",
  ...IN_ALIAS_MAP,
  ...s.definePagedListOperation("aliases", resourcesBasis, claim, {
    clientId: Type.Optional(s.idReference("client")),
    jobId: Type.Optional(s.idReference("diligence job")),
    status: Type.Optional(state()),
  }),
  behaviours: rules(
    assumed("aliases"),
    "The newest claim comes first; the list is empty for a client or job of another partner.",
  ),
});

export const status = defineOperation({
  id: "claims.status",
  summary: "Show the status of a claim and its history",
  method: "GET",
  path: "/v1/claims/status",
  label: documented("claims.status"),
  query: s.labelledClosedObject(documented("claims.status"), { claimId: s.idReference("claim") }),
  response: { status: 200, label: resourcesBasis, schema: claimStatus },
  problems: ["claim_not_found"],
  behaviours: rules(
    assumed("rules"),
    "open becomes financed with an accepted offer; either becomes in_litigation.",
  ),
});
