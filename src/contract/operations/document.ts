import * as Type from "typebox";
import { assumed, documented, labelFields, rules, statedRules } from "../labels.ts";
import { mapOf } from "../schemas.ts";
import { defineOperation } from "./operation.ts";

const resourcesBasis = assumed("versions");

/** The OpenAPI document about itself: only what every reader of OpenAPI 3.1 relies on. */
const openapiDocument = Type.Object(
  labelFields(resourcesBasis, {
    openapi: Type.String({ pattern: "^3\\.1\\." }),
    info: Type.Object(labelFields(resourcesBasis, { title: Type.String(), version: Type.String() }), {
      additionalProperties: true,
    }),
    paths: mapOf(Type.Unknown()),
  }),
  { additionalProperties: true },
);

export const openapi = defineOperation({
  id: "document.openapi",
  summary: "The machine-readable contract of the live service",
  method: "GET",
  path: "/v1/docs/openapi",
  label: documented("contract.live"),
  response: {
    status: 200,
    label: resourcesBasis,
    schema: openapiDocument,
    headers: { ETag: "The contract hash, quoted" },
  },
  behaviours: [
    ...statedRules("contract.hash"),
    ...rules(
      assumed("contract.hash"),
      "The contract hash is the hex SHA-256 of the document in its RFC 8785 form.",
    ),
  ],
});
