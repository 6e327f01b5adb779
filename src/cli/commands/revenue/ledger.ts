import { REVENUE_TYPES } from "../../../domain/claims/revenue.ts";
import { openService } from "../../connection/service.ts";
import { chooseAlias, viaAliasOptions } from "../../connection/via-alias.ts";
import { command } from "../../framework/command.ts";
import { createMoneyColumn } from "../../output/record-card.ts";
import { pagingOptions, toPagedList } from "../../records/paged-list.ts";

export const ledger = command({
  name: "ledger",
  summary: "list what was earned, the newest entry first",
  remote: "reads",
  output: "list",
  options: {
    claim: { value: "claim", help: "only what this claim earned" },
    type: { value: "type", choices: REVENUE_TYPES, help: "only entries of this type" },
    ...pagingOptions,
    ...viaAliasOptions,
  },
  examples: [
    "claims revenue ledger",
    "claims revenue ledger --all --csv --fields createdAt,type,amountCents,balanceCents",
  ],
  async run(context, call) {
    const { options } = call;
    const { client, operations } = await openService(context, call);
    const { ledger: operation } = operations.revenue;
    const alias = await chooseAlias(context, operation.id, options);
    const only = { claimId: options.claim, type: options.type };
    const pages = client.list(operation, { query: { ...only, limit: options.limit }, alias });
    return toPagedList(context, pages, options, {
      what: "ledger entries",
      columns: [
        {
          name: "createdAt",
          title: "at",
          display: ({ createdAt }) => dayOf(createdAt),
        },
        { name: "type" },
        createMoneyColumn("amountCents", "amount"),
        createMoneyColumn("balanceCents", "balance"),
        { name: "claimId", title: "claim", isWhole: true },
        { name: "currency", isHidden: true },
        { name: "id", isHidden: true },
        { name: "offerId", isHidden: true },
        { name: "enrollmentId", isHidden: true },
      ],
      filter: only,
      empty:
        "nothing was earned yet; `claims offers create --claim ID` and `claims litigation enroll ID` earn fees",
    });
  },
});

const dayOf = (time: unknown): string => String(time ?? "").slice(0, 10);
