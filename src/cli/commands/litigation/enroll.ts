import { ClaimsError } from "../../../domain/errors.ts";
import { isRecord } from "../../../domain/json.ts";
import { command } from "../../command.ts";
import { createOptions, createRecord } from "../../create-record.ts";
import { bodyOf } from "../../json-body.ts";
import type { Block } from "../../output/output.ts";
import type { Item } from "../../paged-list.ts";
import { recordCard, recordsTable } from "../../record-card.ts";
import { idsNamed } from "../../stdin-ids.ts";

export const enroll = command({
  name: "enroll",
  summary: "enroll claims in litigation, all of them or none",
  remote: "writes",
  answers: "record",
  arguments: [
    {
      name: "claims",
      help: "ids of claims; - reads them from stdin, one a line",
      many: true,
      optional: true,
    },
  ],
  options: createOptions,
  examples: [
    "claims litigation enroll 9e02…",
    "claims claims list --status financed --all -q | claims litigation enroll -",
  ],
  async run(context, call) {
    const ids = await idsNamed(context, call.args.claims, "pipe ids in: `claims claims list -q`");
    const claimIds = ids.length > 0 ? ids : undefined;
    // What lists claims for it may have found none.
    if (claimIds === undefined && call.args.claims.length > 0) throw noClaim();
    return createRecord(context, call, {
      what: "enrollment",
      operation: ({ litigation }) => litigation.enroll,
      json: await bodyOf(context, { claimIds }, call.options),
      blocks: (record, id) => enrollmentBlocks(`Enrollment ${id ?? ""}`, record),
    });
  },
});

const noClaim = (): ClaimsError =>
  new ClaimsError("usage", "no_claim", "no id came in on stdin: there is no claim to enroll", {
    hint: "see which claims there are with `claims claims list`",
  });

function enrollmentBlocks(title: string, { claims, ...record }: Item): readonly Block[] {
  const named = Array.isArray(claims)
    ? claims.filter(isRecord).map(({ claimId, ...amounts }) => [String(claimId), amounts] as const)
    : [];
  const table = recordsTable("Claims", Object.fromEntries(named), "claim");
  return [recordCard(record, title), ...(table ? [table] : [])];
}
