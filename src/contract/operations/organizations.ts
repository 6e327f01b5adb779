import * as Type from "typebox";
import { assumed, documented, rules } from "../labels.ts";
import { dateTime, email, environment, jsonBody, labelledObject, singleLine } from "../schemas.ts";
import { defineOperation } from "./operation.ts";

const resourcesBasis = assumed("resources");

/** Characters. */
const MAX_LENGTH = { id: 100, name: 200 } as const;

const path = "/v1/partner-organizations/{partnerOrgId}";

const partnerOrgId = () =>
  Type.String({
    maxLength: MAX_LENGTH.id,
    pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$",
    description: "an id of letters, digits, dots, dashes and underscores that begins with a letter or digit",
  });

const organizationFields = {
  name: singleLine(MAX_LENGTH.name, "a name"),
  contactName: singleLine(MAX_LENGTH.name, "the name of a person"),
  contactEmail: email(),
  countryCode: Type.String({ pattern: "^[A-Z]{2}$", description: "two capital letters (ISO 3166-1)" }),
};

export const organization = labelledObject(resourcesBasis, {
  id: partnerOrgId(),
  environment: environment(),
  ...organizationFields,
  onboardedAt: dateTime(),
  updatedAt: dateTime(),
});

export const get = defineOperation({
  id: "orgs.get",
  summary: "Read a partner organization",
  method: "GET",
  path,
  label: documented("alias.map"),
  // The map has the path for onboarding; that it can be read as well is ours.
  methodLabel: assumed("aliases"),
  response: { status: 200, label: resourcesBasis, schema: organization },
  problems: ["organization_not_found"],
  behaviours: rules(resourcesBasis, "Organizations belong to the partner and the credential's environment."),
});

export const onboard = defineOperation({
  id: "orgs.onboard",
  summary: "Onboard a partner organization under an id of your choice, or replace it",
  method: "PUT",
  path,
  label: documented("alias.map"),
  methodLabel: assumed("aliases"),
  params: labelledObject(documented("alias.map"), { partnerOrgId: partnerOrgId() }),
  request: jsonBody(resourcesBasis, organizationFields),
  response: { status: 200, label: resourcesBasis, schema: organization },
  behaviours: rules(resourcesBasis, "The first request sets onboardedAt, every request sets updatedAt."),
});
