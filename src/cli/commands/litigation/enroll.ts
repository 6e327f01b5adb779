import { isRecord } from "../../../domain/json.ts";
import { readIds, refuseSecondStdin } from "../../files/input-file.ts";
import { command } from "../../framework/command.ts";
import type { Block } from "../../output/output.ts";
import { toRecordCard, toRecordsTable } from "../../output/record-card.ts";
import { createRecord, createRecordOptions } from "../../records/create-record.ts";
import type { ServiceRecord } from "../../records/paged-list.ts";

export const commands = [
  command({
    name: "enroll",
    summary: "enroll claims in litigation: all of them or none",
    remote: "writes",
    output: "record",
    operation: ({ litigation }) => litigation.enroll,
    arguments: [
      {
        name: "claims",
        help: "claim ids; - reads them from stdin, one a line",
        isVariadic: true,
        isOptional: true,
      },
    ],
    options: createRecordOptions,
    examples: [
      "claims litigation enroll 9e02…",
      "claims claims list --status financed --all -q | claims litigation enroll -",
    ],
    async run(context, call) {
      refuseSecondStdin([...call.args.claims, call.options.input ?? ""]);
      const ids = await readIds(context, call.args.claims, "pipe ids in: `claims claims list -q`");
      const claimIds = ids.length > 0 ? ids : undefined;
      return createRecord(context, call, {
        noun: "enrollment",
        operation: ({ litigation }) => litigation.enroll,
        fields: { claimIds },
        blocks: enrollmentBlocks,
      });
    },
  }),
];

function enrollmentBlocks({ claims, ...record }: ServiceRecord, id: string | null): readonly Block[] {
  const named = Array.isArray(claims)
    ? claims.filter(isRecord).map(({ claimId, ...amounts }) => [String(claimId), amounts] as const)
    : [];
  const table = toRecordsTable("claims", "Claims", Object.fromEntries(named), "claim");
  return [toRecordCard("enrollment", record, `Enrollment ${id ?? ""}`), ...(table ? [table] : [])];
}
