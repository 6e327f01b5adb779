import Type, { type Static } from "typebox";
import { CLAIM_STATES } from "../domain/claims/states.ts";
import { assumed, documented, labelFields } from "./labels.ts";
import { defineOperation } from "./operation.ts";
import { WRITE_PROBLEMS } from "./problems.ts";
import {
  cents,
  count,
  currency,
  dateTime,
  idReference,
  listQuery,
  nullable,
  pageResponse,
  uuid,
} from "./schemas.ts";

const assumedField = assumed("resources");

const state = () => Type.Enum([...CLAIM_STATES]);

const gradeAmount = Type.Object(labelFields(assumedField, { entries: count(), claimCents: cents() }));

export const claim = Type.Object(
  labelFields(assumedField, {
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
    ieepaDutyCents: cents(),
    interestCents: cents(),
    estimatedClaimCents: cents(),
    litigationCents: cents(),
    byGrade: Type.Object(
      labelFields(assumedField, {
        A: gradeAmount,
        B: gradeAmount,
        C: gradeAmount,
        D: gradeAmount,
        X: gradeAmount,
      }),
    ),
    createdAt: dateTime(),
    financedAt: nullable(dateTime()),
    enrolledAt: nullable(dateTime()),
  }),
);

export const claimStatus = Type.Object(
  labelFields(assumedField, {
    claimId: uuid(),
    status: state(),
    history: Type.Array(Type.Object(labelFields(assumedField, { status: state(), at: dateTime() })), {
      description: "Every state it has had, the first one first",
    }),
  }),
);

export type Claim = Static<typeof claim>;
export type ClaimStatus = Static<typeof claimStatus>;

export const create = defineOperation({
  id: "claims.create",
  summary: "Make the claim of a completed diligence job, for a client",
  method: "POST",
  path: "/v1/claims",
  label: documented("§4 Broker alias map: create and list"),
  auth: "credential",
  request: {
    kind: "json",
    schema: Type.Object(
      labelFields(assumedField, { clientId: idReference("client"), jobId: idReference("diligence job") }),
      {
        additionalProperties: false,
      },
    ),
  },
  response: { status: 201, label: assumedField, schema: claim },
  problems: [
    ...WRITE_PROBLEMS,
    "client_not_found",
    "job_not_found",
    "job_not_completed",
    "job_already_claimed",
    "body_too_large",
    "unsupported_media_type",
  ],
  behaviours: [
    { rule: "The method is POST.", ...assumed("aliases") },
    {
      rule: "The amounts are those of the job's report; a job has one claim at the most.",
      ...assumed("rules"),
    },
    { rule: "A partial job has to be resumed first: its report is not complete.", ...assumed("rules") },
    { rule: "A new claim is open.", ...assumed("rules") },
  ],
});

export const list = defineOperation({
  id: "claims.list",
  summary: "List the claims",
  method: "GET",
  path: "/v1/claims",
  label: documented("§4 Broker alias map: create and list"),
  auth: "credential",
  query: listQuery("aliases", {
    clientId: Type.Optional(idReference("client")),
    jobId: Type.Optional(idReference("diligence job")),
    status: Type.Optional(state()),
  }),
  response: pageResponse("aliases", assumedField, claim),
  problems: ["cursor_invalid"],
  behaviours: [
    { rule: "The method is GET.", ...assumed("aliases") },
    { rule: "The newest comes first; a client or job of somebody else has no claim.", ...assumed("aliases") },
  ],
});

export const status = defineOperation({
  id: "claims.status",
  summary: "Tell the status of a claim, and how it came to it",
  method: "GET",
  path: "/v1/claims/status",
  label: documented("§4 Claims and clients"),
  auth: "credential",
  query: Type.Object(
    labelFields(documented("§4: Query parameter claimId (string)"), { claimId: idReference("claim") }),
    {
      additionalProperties: false,
    },
  ),
  response: { status: 200, label: assumedField, schema: claimStatus },
  problems: ["claim_not_found"],
  behaviours: [
    {
      rule: "open becomes financed with an accepted offer; either becomes in_litigation.",
      ...assumed("rules"),
    },
  ],
});
