import Type, { type Static } from "typebox";
import { CLAIM_STATES } from "../domain/claims/states.ts";
import { assumed, documented, IN_ALIAS_MAP, rules } from "./labels.ts";
import { defineOperation } from "./operation.ts";
import {
  byGrade,
  cents,
  closedObject,
  count,
  currency,
  dateTime,
  each,
  idReference,
  jsonBody,
  listOf,
  nullable,
  object,
  uuid,
} from "./schemas.ts";

const assumedField = assumed("resources");

const state = () => Type.Enum([...CLAIM_STATES]);

export const claim = object(assumedField, {
  id: uuid(),
  clientId: uuid(),
  clientName: Type.String(),
  jobId: uuid(),
  status: state(),
  reviewOutcome: Type.Enum(["clear", "conditional", "declined"], {
    description: "The outcome of the job's rf8Review",
  }),
  currency: currency(),
  entryCount: count(),
  ...each(cents, "ieepaDutyCents", "interestCents", "estimatedClaimCents", "litigationCents"),
  byGrade: byGrade(assumedField, object(assumedField, { entries: count(), claimCents: cents() })),
  createdAt: dateTime(),
  financedAt: nullable(dateTime()),
  enrolledAt: nullable(dateTime()),
});

export const claimStatus = object(assumedField, {
  claimId: uuid(),
  status: state(),
  history: Type.Array(object(assumedField, { status: state(), at: dateTime() }), {
    description: "Every state of the claim, the first one first",
  }),
});

export type Claim = Static<typeof claim>;
export type ClaimStatus = Static<typeof claimStatus>;

export const create = defineOperation({
  id: "claims.create",
  summary: "Create the claim of a completed diligence job, for a client",
  description:
    "Makes a claim of the entries of a completed diligence job, for one of your clients. The fields are assumed.",
  method: "POST",
  path: "/v1/claims",
  ...IN_ALIAS_MAP,
  request: jsonBody(assumedField, { clientId: idReference("client"), jobId: idReference("diligence job") }),
  response: { status: 201, label: assumedField, schema: claim },
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
  description:
    "Returns the claims of the partner in the environment of the credential. Filters and paging are assumed.",
  method: "GET",
  path: "/v1/claims",
  ...IN_ALIAS_MAP,
  ...listOf("aliases", assumedField, claim, {
    clientId: Type.Optional(idReference("client")),
    jobId: Type.Optional(idReference("diligence job")),
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
  description:
    "Returns the state of the claim that the query parameter claimId names, with the states before it. The fields are assumed.",
  method: "GET",
  path: "/v1/claims/status",
  label: documented("claims.status"),
  query: closedObject(documented("claims.status"), { claimId: idReference("claim") }),
  response: { status: 200, label: assumedField, schema: claimStatus },
  problems: ["claim_not_found"],
  behaviours: rules(
    assumed("rules"),
    "open becomes financed with an accepted offer; either becomes in_litigation.",
  ),
});
