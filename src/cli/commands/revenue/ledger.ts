import { REVENUE_TYPES } from "../../../domain/claims/revenue.ts";
import { aliasFor, viaAlias } from "../../aliases/via-alias.ts";
import { command } from "../../command.ts";
import { pagedOutput, pagingOptions } from "../../paged-list.ts";
import { moneyColumn } from "../../record-card.ts";
import { openService } from "../../service.ts";

export const ledger = command({
  name: "ledger",
  summary: "list what was earned, the newest entry first",
  remote: "reads",
  answers: "list",
  options: {
    claim: { value: "claim", help: "only what this claim earned" },
    type: { value: "type", choices: REVENUE_TYPES, help: "only entries of this type" },
    ...pagingOptions,
    ...viaAlias,
  },
  examples: [
    "claims revenue ledger",
    "claims revenue ledger --all --csv --fields createdAt,type,amountCents,balanceCents",
  ],
  async run(context, call) {
    const { options } = call;
    const { client, operations } = await openService(context, call);
    const { ledger: operation } = operations.revenue;
    const alias = await aliasFor(context, operation.id, options);
    const only = { claimId: options.claim, type: options.type };
    const pages = client.list(operation, { query: { ...only, limit: options.limit }, alias });
    return pagedOutput(context, pages, options, {
      what: "ledger entries",
      columns: [
        {
          name: "createdAt",
          title: "at",
          of: ({ createdAt }) => createdAt,
          shown: ({ createdAt }) => dayOf(createdAt),
        },
        { name: "type", of: ({ type }) => type },
        moneyColumn("amountCents", "amount"),
        moneyColumn("balanceCents", "balance"),
        { name: "claimId", title: "claim", isWhole: true, of: ({ claimId }) => claimId },
        { name: "currency", hidden: true, of: ({ currency }) => currency },
        { name: "id", hidden: true, of: ({ id }) => id },
        { name: "offerId", hidden: true, of: ({ offerId }) => offerId },
        { name: "enrollmentId", hidden: true, of: ({ enrollmentId }) => enrollmentId },
      ],
      only,
      empty:
        "nothing was earned yet; `claims offers create --claim ID` and `claims litigation enroll ID` earn fees",
    });
  },
});

const dayOf = (time: unknown): string => String(time ?? "").slice(0, 10);
