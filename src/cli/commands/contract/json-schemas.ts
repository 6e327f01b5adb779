import Type from "typebox";
import { ASSUMPTION_STATUSES } from "../../../contract/assumption-statuses.ts";
import { dateTime, each, nullable, strictObject } from "../../../contract/schemas.ts";
import { serviceForm } from "../../../contract/service-form/service-form.ts";
import { listOf, type PrintedSchemas } from "../../framework/printed-schemas.ts";

const differences = listOf(each(Type.String, "operation", "location", "effect", "message"));

export const CONTRACT_SCHEMAS: PrintedSchemas = {
  ContractHash: {
    commands: ["contract hash"],
    schema: strictObject({ ...each(Type.String, "hash", "from"), etag: nullable(Type.String()) }),
  },
  ContractPin: {
    commands: ["contract pin"],
    schema: strictObject({ ...each(Type.String, "baseUrl", "hash", "file"), pinnedAt: dateTime() }),
  },
  ContractCheck: {
    commands: ["contract check"],
    schema: strictObject({
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
  },
  ContractDifferences: { commands: ["contract diff"], schema: differences },
  Assumptions: {
    commands: ["contract assumptions"],
    schema: listOf({
      ...each(Type.String, "operation", "kind", "subject", "source"),
      status: Type.Optional(Type.Enum([...ASSUMPTION_STATUSES], { description: "with --observed" })),
      seen: Type.Optional(Type.Array(Type.String())),
      basis: Type.Optional(
        Type.Enum(["observed", "assumed"], {
          description: "with --observed: assumed where nothing was seen",
        }),
      ),
    }),
  },
  ServiceForm: { commands: ["contract learn", "contract form new"], schema: serviceForm },
  FormCheck: {
    commands: ["contract form check"],
    schema: Type.Union([
      listOf(each(Type.String, "at", "message")),
      listOf(each(Type.String, "operation", "records", "found", "missing")),
    ]),
  },
  FormComparison: {
    commands: ["contract form compare"],
    schema: listOf({
      ...each(Type.String, "operation", "place", "service", "sandbox"),
      result: Type.Enum(["right", "listed", "silently wrong", "not compared"]),
    }),
  },
};
