import Type, { type Static } from "typebox";
import { assumed, documented, labelFields } from "./labels.ts";
import { defineOperation } from "./operation.ts";
import { WRITE_PROBLEMS } from "./problems.ts";
import { dateTime, email, listQuery, nullable, pageResponse, singleLine, uuid } from "./schemas.ts";

/** Characters. */
const MAX_LENGTH = { name: 200, reference: 100 } as const;

const assumedField = assumed("resources");

const name = () => singleLine(MAX_LENGTH.name, "a name");

// A social security number, which an importer may go by, is stored nowhere (diligence-model §1).
const importerNumber = () =>
  Type.String({
    pattern: "^\\d{2}-\\d{7}([0-9A-HJ-NP-Y]{2})?$",
    description: "an importer number as NN-NNNNNNN, with an optional suffix of two characters",
  });

const reference = () => singleLine(MAX_LENGTH.reference, "what your own books call it,");

export const client = Type.Object(
  labelFields(assumedField, {
    id: uuid(),
    name: name(),
    importerNumber: nullable(importerNumber()),
    contactEmail: nullable(email()),
    reference: nullable(reference()),
    createdAt: dateTime(),
  }),
);

export type ClientRecord = Static<typeof client>;

export const create = defineOperation({
  id: "clients.create",
  summary: "Add a client: an importer that claims are made for",
  method: "POST",
  path: "/v1/clients",
  label: documented("§4 Broker alias map: create and list"),
  auth: "credential",
  request: {
    kind: "json",
    schema: Type.Object(
      labelFields(assumedField, {
        name: name(),
        importerNumber: Type.Optional(importerNumber()),
        contactEmail: Type.Optional(email()),
        reference: Type.Optional(reference()),
      }),
      { additionalProperties: false },
    ),
  },
  response: { status: 201, label: assumedField, schema: client },
  problems: [...WRITE_PROBLEMS, "body_too_large", "unsupported_media_type"],
  behaviours: [{ rule: "The method is POST.", ...assumed("aliases") }],
});

export const list = defineOperation({
  id: "clients.list",
  summary: "List the clients",
  method: "GET",
  path: "/v1/clients",
  label: documented("§4 Claims and clients"),
  auth: "credential",
  query: listQuery("aliases", {}),
  response: pageResponse("aliases", documented("§4 Claims and clients: Lists clients"), client),
  problems: ["cursor_invalid"],
  behaviours: [
    {
      rule: "Clients belong to the partner and the credential's environment; the newest comes first.",
      ...assumed("aliases"),
    },
  ],
});
