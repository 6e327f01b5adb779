import Type from "typebox";
import { dateTime, nullable, strictObject } from "../../contract/schemas.ts";
import { serviceForm } from "../../contract/service-form/service-form.ts";
import { each } from "../../domain/each.ts";
import { listOf } from "./shapes.ts";

const differences = listOf(each(Type.String, "operation", "location", "effect", "message"));

export const CONTRACT_DOCUMENTS = {
  ContractHash: strictObject({ ...each(Type.String, "hash", "from"), etag: nullable(Type.String()) }),
  ContractPin: strictObject({ ...each(Type.String, "baseUrl", "hash", "file"), pinnedAt: dateTime() }),
  ContractCheck: strictObject({
    baseUrl: Type.String(),
    live: Type.String({ description: "hash" }),
    etag: nullable(Type.String()),
    bundled: Type.String({ description: "hash of the contract of this version" }),
    pinned: nullable(strictObject({ hash: Type.String(), pinnedAt: dateTime() })),
    observed: nullable(
      strictObject({
        file: Type.String(),
        hash: nullable(Type.String({ description: "null: learned without the contract of the service" })),
        lastAt: nullable(dateTime()),
      }),
    ),
    fromBundled: differences,
    sincePin: nullable(differences),
  }),
  ContractDifferences: differences,
  Assumptions: listOf(each(Type.String, "operation", "kind", "subject", "source")),
  ServiceForm: serviceForm,
  FormCheck: Type.Union([
    listOf(each(Type.String, "at", "message")),
    listOf(each(Type.String, "operation", "records", "found", "missing")),
  ]),
  FormComparison: listOf({
    ...each(Type.String, "operation", "place", "service", "sandbox"),
    result: Type.Enum(["right", "listed", "silently wrong", "not compared"]),
  }),
};
