import { CLAIM_STATES } from "../../../domain/claims/states.ts";
import { openService } from "../../connection/service.ts";
import { chooseAlias, viaAliasOptions } from "../../connection/via-alias.ts";
import { command } from "../../framework/command.ts";
import { createMoneyColumn } from "../../output/record-card.ts";
import { pagingOptions, toPagedList } from "../../records/paged-list.ts";

export const list = command({
  name: "list",
  summary: "list the claims, the newest first",
  remote: "reads",
  output: "list",
  options: {
    client: { value: "client", help: "only those for this client" },
    job: { value: "job", help: "only that of this diligence job" },
    status: { value: "status", choices: CLAIM_STATES, help: "only those in this state" },
    ...pagingOptions,
    ...viaAliasOptions,
  },
  examples: [
    "claims claims list",
    "claims claims list --status open --all -q",
    "claims claims list --client 4b1f… --csv --fields id,jobId,estimatedClaimCents",
  ],
  async run(context, call) {
    const { options } = call;
    const { client, operations } = await openService(context, call);
    const { list: operation } = operations.claims;
    const alias = await chooseAlias(context, operation.id, options);
    const only = { clientId: options.client, jobId: options.job, status: options.status };
    const pages = client.list(operation, { query: { ...only, limit: options.limit }, alias });
    return toPagedList(context, pages, options, {
      what: "claims",
      columns: [
        { name: "id", isId: true },
        { name: "status" },
        createMoneyColumn("estimatedClaimCents", "claim"),
        { name: "clientName", title: "client" },
        { name: "entryCount", title: "entries", align: "right" },
        { name: "currency", isHidden: true },
        { name: "clientId", isHidden: true },
        { name: "jobId", isHidden: true },
        { name: "createdAt", isHidden: true },
      ],
      filter: only,
      empty: "there is no claim yet; `claims claims create --client ID --job ID` makes one",
    });
  },
});
