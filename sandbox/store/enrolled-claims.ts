import * as sql from "./columns.ts";
import { defineTable } from "./table.ts";

export const ENROLLED_CLAIMS = defineTable(
  "main.enrolled_claim",
  {
    claimId: sql.references("claim (id)", sql.text),
    ...sql.owner,
    /** Claims that were enrolled together share it. */
    enrollmentId: sql.text,
    litigationCents: sql.integer,
    feeCents: sql.integer,
    createdAt: sql.time,
  },
  { key: ["claimId"] },
);
