import Type from "typebox";
import { assumed, documented, IN_ALIAS_MAP, rules } from "../labels.ts";
import {
  dateTime,
  describePagedList,
  email,
  jsonBody,
  labelledObject,
  nullable,
  singleLine,
  uuid,
} from "../schemas.ts";
import { defineOperation } from "./operation.ts";

const resourcesBasis = assumed("resources");

/** Characters. */
const MAX_LENGTH = { name: 200, reference: 100 } as const;

const name = () => singleLine(MAX_LENGTH.name, "a name");

// Some importers use a social security number; the sandbox does not store one (diligence-model §1).
const importerNumber = () =>
  Type.String({
    pattern: "^\\d{2}-\\d{7}([0-9A-HJ-NP-Y]{2})?$",
    description: "an importer number as NN-NNNNNNN, with an optional suffix of two characters",
  });

const reference = () => singleLine(MAX_LENGTH.reference, "your own reference");

export const client = labelledObject(resourcesBasis, {
  id: uuid(),
  name: name(),
  importerNumber: nullable(importerNumber()),
  contactEmail: nullable(email()),
  reference: nullable(reference()),
  createdAt: dateTime(),
});

export const create = defineOperation({
  id: "clients.create",
  summary: "Create a client: an importer that claims are made for",
  description: "Creates an importer that claims are made for. The fields are assumed.",
  method: "POST",
  path: "/v1/clients",
  ...IN_ALIAS_MAP,
  request: jsonBody(resourcesBasis, {
    name: name(),
    importerNumber: Type.Optional(importerNumber()),
    contactEmail: Type.Optional(email()),
    reference: Type.Optional(reference()),
  }),
  response: { status: 201, label: resourcesBasis, schema: client },
  behaviours: [],
});

export const list = defineOperation({
  id: "clients.list",
  summary: "List the clients",
  description: "Returns the clients of the partner. The fields, filters and paging are assumed.",
  method: "GET",
  path: "/v1/clients",
  label: documented("clients.list"),
  ...describePagedList("aliases", documented("clients.list"), client, {}),
  behaviours: rules(
    assumed("aliases"),
    "Clients belong to the partner and the credential's environment; the newest comes first.",
  ),
});
