import { each } from "../../src/domain/each.ts";
import * as sql from "./columns.ts";
import { defineTable } from "./table.ts";

export const CLIENTS = defineTable(
  "main.client",
  {
    ...sql.record,
    name: sql.text,
    ...each(() => sql.nullable(sql.text), "importerNumber", "contactEmail", "reference"),
    createdAt: sql.time,
  },
  { indexes: [["partner", "environment", "seq"]] },
);
