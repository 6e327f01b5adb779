import { CLAIM_STATES } from "../../../domain/claims/states.ts";
import { aliasFor, viaAlias } from "../../aliases/via-alias.ts";
import { command } from "../../command.ts";
import { pagedOutput, pagingOptions } from "../../paged-list.ts";
import { moneyColumn } from "../../record-card.ts";
import { openService } from "../../service.ts";

export const list = command({
  name: "list",
  summary: "list the claims, the newest first",
  remote: "reads",
  answers: "list",
  options: {
    client: { value: "client", help: "only those for this client" },
    job: { value: "job", help: "only that of this diligence job" },
    status: { value: "status", choices: CLAIM_STATES, help: "only those in this state" },
    ...pagingOptions,
    ...viaAlias,
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
    const alias = await aliasFor(context, operation.id, options);
    const only = { clientId: options.client, jobId: options.job, status: options.status };
    const pages = client.list(operation, { query: { ...only, limit: options.limit }, alias });
    return pagedOutput(context, pages, options, {
      what: "claims",
      columns: [
        { name: "id", isId: true, of: ({ id }) => id },
        { name: "status", of: ({ status }) => status },
        moneyColumn("estimatedClaimCents", "claim"),
        { name: "clientName", title: "client", of: ({ clientName }) => clientName },
        { name: "entryCount", title: "entries", align: "right", of: ({ entryCount }) => entryCount },
        { name: "currency", hidden: true, of: ({ currency }) => currency },
        { name: "clientId", hidden: true, of: ({ clientId }) => clientId },
        { name: "jobId", hidden: true, of: ({ jobId }) => jobId },
        { name: "createdAt", hidden: true, of: ({ createdAt }) => createdAt },
      ],
      only,
      empty: "there is no claim yet; `claims claims create --client ID --job ID` makes one",
    });
  },
});
