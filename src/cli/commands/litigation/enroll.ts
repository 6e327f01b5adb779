import { ClaimsError } from "../../../domain/errors.ts";
import { isRecord } from "../../../domain/json.ts";
import { command } from "../../command.ts";
import { createRecord, createRecordOptions } from "../../create-record.ts";
import { buildRequestBody } from "../../json-body.ts";
import type { Block } from "../../output/output.ts";
import type { ServiceRecord } from "../../paged-list.ts";
import { toRecordCard, toRecordsTable } from "../../record-card.ts";
import { readIds } from "../../stdin-ids.ts";

export const enroll = command({
  name: "enroll",
  summary: "enroll claims in litigation, all of them or none",
  remote: "writes",
  output: "record",
  arguments: [
    {
      name: "claims",
      help: "ids of claims; - reads them from stdin, one a line",
      many: true,
      optional: true,
    },
  ],
  options: createRecordOptions,
  examples: [
    "claims litigation enroll 9e02…",
    "claims claims list --status financed --all -q | claims litigation enroll -",
  ],
  async run(context, call) {
    const ids = await readIds(context, call.args.claims, "pipe ids in: `claims claims list -q`");
    const claimIds = ids.length > 0 ? ids : undefined;
    // What lists claims for it may have found none.
    if (claimIds === undefined && call.args.claims.length > 0) throw noClaimError();
    return createRecord(context, call, {
      what: "enrollment",
      operation: ({ litigation }) => litigation.enroll,
      json: await buildRequestBody(context, { claimIds }, call.options),
      blocks: (record, id) => enrollmentBlocks(`Enrollment ${id ?? ""}`, record),
    });
  },
});

const noClaimError = (): ClaimsError =>
  new ClaimsError("usage", "no_claim", "no id came in on stdin: there is no claim to enroll", {
    hint: "see which claims there are with `claims claims list`",
  });

function enrollmentBlocks(title: string, { claims, ...record }: ServiceRecord): readonly Block[] {
  const named = Array.isArray(claims)
    ? claims.filter(isRecord).map(({ claimId, ...amounts }) => [String(claimId), amounts] as const)
    : [];
  const table = toRecordsTable("Claims", Object.fromEntries(named), "claim");
  return [toRecordCard(record, title), ...(table ? [table] : [])];
}
