import { OFFER_STATES } from "../../../domain/claims/offer.ts";
import { openService } from "../../connection/service.ts";
import { chooseAlias, viaAliasOptions } from "../../connection/via-alias.ts";
import { command } from "../../framework/command.ts";
import { createMoneyColumn } from "../../output/record-card.ts";
import { pagingOptions, toPagedList } from "../../records/paged-list.ts";

export const list = command({
  name: "list",
  summary: "list the offers, the newest first",
  remote: "reads",
  output: "list",
  options: {
    claim: { value: "claim", help: "only those on this claim" },
    status: { value: "status", choices: OFFER_STATES, help: "only those in this state" },
    ...pagingOptions,
    ...viaAliasOptions,
  },
  examples: ["claims offers list", "claims offers list --status accepted --all --csv"],
  async run(context, call) {
    const { options } = call;
    const { client, operations } = await openService(context, call);
    const { list: operation } = operations.offers;
    const alias = await chooseAlias(context, operation.id, options);
    const only = { claimId: options.claim, status: options.status };
    const pages = client.list(operation, { query: { ...only, limit: options.limit }, alias });
    return toPagedList(context, pages, options, {
      what: "offers",
      columns: [
        { name: "id", isId: true },
        { name: "status" },
        createMoneyColumn("advanceCents", "advance"),
        createMoneyColumn("payoutCents", "payout"),
        createMoneyColumn("feeCents", "fee"),
        { name: "currency", isHidden: true },
        { name: "claimId", isHidden: true },
        { name: "createdAt", isHidden: true },
      ],
      filter: only,
      empty: "there is no offer yet; `claims offers create --claim ID` asks for one",
    });
  },
});
