import * as sql from "./columns.ts";
import { defineTable } from "./table.ts";

export const CLIENTS = defineTable(
  "main.client",
  {
    ...sql.record,
    name: sql.text,
    importerNumber: sql.nullable(sql.text),
    contactEmail: sql.nullable(sql.text),
    reference: sql.nullable(sql.text),
    createdAt: sql.time,
  },
  { indexes: [["partner", "environment", "seq"]] },
);
