import { each } from "../../src/domain/each.ts";
import * as sql from "./columns.ts";
import { defineTable } from "./table.ts";

/** Requested notifications. The sandbox sends none (product.md §5). */
export const NOTIFICATIONS = defineTable("main.notification", {
  ...sql.record,
  ...each(() => sql.text, "recipient", "subject", "message"),
  job: sql.nullable(sql.references("job (id)", sql.text)),
  status: sql.expression<"requested">("'requested'"),
  createdAt: sql.time,
});
