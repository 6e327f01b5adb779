import Type, { type Static } from "typebox";
import { assumed, documented, labelFields } from "./labels.ts";
import { defineOperation } from "./operation.ts";
import { WRITE_PROBLEMS } from "./problems.ts";
import { dateTime, email, environment, singleLine } from "./schemas.ts";

/** Characters. */
const MAX_LENGTH = { id: 100, name: 200 } as const;

const assumedField = assumed("resources");

const path = "/v1/partner-organizations/{partnerOrgId}";

const ID_FORM = "an id of letters, digits, dots, dashes and underscores that begins with a letter or digit";

const partnerOrgId = () =>
  Type.String({
    maxLength: MAX_LENGTH.id,
    pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$",
    description: ID_FORM,
  });

const organizationFields = {
  name: singleLine(MAX_LENGTH.name, "a name"),
  contactName: singleLine(MAX_LENGTH.name, "the name of a person"),
  contactEmail: email(),
  countryCode: Type.String({
    pattern: "^[A-Z]{2}$",
    description: "two capital letters, as ISO 3166-1 has them",
  }),
};

export const organization = Type.Object(
  labelFields(assumedField, {
    id: partnerOrgId(),
    environment: environment(),
    ...organizationFields,
    onboardedAt: dateTime(),
    updatedAt: dateTime(),
  }),
);

export type Organization = Static<typeof organization>;

export const get = defineOperation({
  id: "orgs.get",
  summary: "Read a partner organization",
  method: "GET",
  path,
  // The map has the path, for onboarding; that it can be read as well is ours.
  label: assumed("aliases"),
  auth: "credential",
  response: { status: 200, label: assumedField, schema: organization },
  problems: ["organization_not_found"],
  behaviours: [
    { rule: "The method is GET.", ...assumed("aliases") },
    { rule: "Organizations belong to the partner and the credential's environment.", ...assumedField },
  ],
});

export const onboard = defineOperation({
  id: "orgs.onboard",
  summary: "Onboard a partner organization under an id of your choice, or write it anew",
  method: "PUT",
  path,
  label: documented("§1, §4 Broker alias map: family onboarding"),
  auth: "credential",
  params: Type.Object(labelFields(documented("§4 Broker alias map"), { partnerOrgId: partnerOrgId() })),
  request: {
    kind: "json",
    schema: Type.Object(labelFields(assumedField, organizationFields), { additionalProperties: false }),
  },
  response: { status: 200, label: assumedField, schema: organization },
  problems: [...WRITE_PROBLEMS, "body_too_large", "unsupported_media_type"],
  behaviours: [
    { rule: "The method is PUT; over an alias it may be POST.", ...assumed("aliases") },
    { rule: `partnerOrgId is ${ID_FORM}.`, ...assumed("aliases") },
    { rule: "An alias takes partnerOrgId from the body.", ...assumed("aliases") },
    { rule: "The first time sets onboardedAt, every time updatedAt.", ...assumedField },
  ],
});
