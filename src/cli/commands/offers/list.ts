import { OFFER_STATES } from "../../../domain/claims/offer.ts";
import { aliasFor, viaAlias } from "../../aliases/via-alias.ts";
import { command } from "../../command.ts";
import { pagedOutput, pagingOptions } from "../../paged-list.ts";
import { moneyColumn } from "../../record-card.ts";
import { openService } from "../../service.ts";

export const list = command({
  name: "list",
  summary: "list the offers, the newest first",
  remote: "reads",
  answers: "list",
  options: {
    claim: { value: "claim", help: "only those on this claim" },
    status: { value: "status", choices: OFFER_STATES, help: "only those in this state" },
    ...pagingOptions,
    ...viaAlias,
  },
  examples: ["claims offers list", "claims offers list --status accepted --all --csv"],
  async run(context, call) {
    const { options } = call;
    const { client, operations } = await openService(context, call);
    const { list: operation } = operations.offers;
    const alias = await aliasFor(context, operation.id, options);
    const only = { claimId: options.claim, status: options.status };
    const pages = client.list(operation, { query: { ...only, limit: options.limit }, alias });
    return pagedOutput(context, pages, options, {
      what: "offers",
      columns: [
        { name: "id", isId: true, of: ({ id }) => id },
        { name: "status", of: ({ status }) => status },
        moneyColumn("advanceCents", "advance"),
        moneyColumn("payoutCents", "payout"),
        moneyColumn("feeCents", "fee"),
        { name: "currency", hidden: true, of: ({ currency }) => currency },
        { name: "claimId", hidden: true, of: ({ claimId }) => claimId },
        { name: "createdAt", hidden: true, of: ({ createdAt }) => createdAt },
      ],
      only,
      empty: "there is no offer yet; `claims offers create --claim ID` asks for one",
    });
  },
});
