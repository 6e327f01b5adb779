import * as Type from "typebox";
import { assumed, documented, IN_ALIAS_MAP, rules } from "../labels.ts";
import * as s from "../schemas.ts";
import { defineOperation } from "./operation.ts";

const resourcesBasis = assumed("resources");

/** Characters. */
const MAX_LENGTH = { name: 200, reference: 100 } as const;

const name = () => s.singleLine(MAX_LENGTH.name, "a name");

// Some importers use a social security number; the sandbox does not store one (diligence-model §1).
const importerNumber = () =>
  Type.String({
    pattern: "^\\d{2}-\\d{7}([0-9A-HJ-NP-Y]{2})?$",
    description: "an importer number as NN-NNNNNNN, with an optional suffix of two characters",
  });

const reference = () => s.singleLine(MAX_LENGTH.reference, "your own reference");

export const client = s.labelledObject(resourcesBasis, {
  id: s.uuid(),
  name: name(),
  importerNumber: s.nullable(importerNumber()),
  contactEmail: s.nullable(s.email()),
  reference: s.nullable(reference()),
  createdAt: s.dateTime(),
});

export const create = defineOperation({
  id: "clients.create",
  summary: "Create a client: an importer that claims are made for",
  method: "POST",
  path: "/v1/clients",
  ...IN_ALIAS_MAP,
  request: s.jsonBody(resourcesBasis, {
    name: name(),
    importerNumber: Type.Optional(importerNumber()),
    contactEmail: Type.Optional(s.email()),
    reference: Type.Optional(reference()),
  }),
  response: { status: 201, label: resourcesBasis, schema: client },
  behaviours: [],
});

export const list = defineOperation({
  id: "clients.list",
  summary: "List the clients",
  method: "GET",
  path: "/v1/clients",
  label: documented("clients.list"),
  ...s.definePagedListOperation("aliases", documented("clients.list"), client, {}),
  behaviours: rules(
    assumed("aliases"),
    "Clients belong to the partner and the credential's environment; the newest comes first.",
  ),
});
