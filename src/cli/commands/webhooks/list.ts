import { command } from "../../command.ts";
import { type Item, pagedOutput, pagingOptions } from "../../paged-list.ts";
import { openService } from "../../service.ts";
import { ENDPOINTS, listEndpoints } from "./endpoints.ts";

export const list = command({
  name: "list",
  summary: "list the webhook endpoints of your partner, the newest first",
  remote: "reads",
  answers: "list",
  options: pagingOptions,
  examples: [
    "claims webhooks list",
    "claims webhooks list --all --fields id,url,secretPrefix,status",
    "claims webhooks list --json | jq -r '.data[] | select(.status == \"disabled\") | .id'",
  ],
  async run(context, call) {
    const service = await openService(context, call);
    return pagedOutput(context, listEndpoints(service, call.options.limit), call.options, {
      what: ENDPOINTS,
      columns: [
        { name: "id", isId: true, of: ({ id }: Item) => id },
        { name: "label", of: ({ label }) => label },
        { name: "status", of: ({ status }) => status },
        { name: "environmentScope", title: "scope", of: ({ environmentScope }) => environmentScope },
        { name: "secretPrefix", title: "secret", isId: true, of: ({ secretPrefix }) => secretPrefix },
        { name: "url", of: ({ url }) => url },
        { name: "subscribedEvents", hidden: true, of: ({ subscribedEvents }) => subscribedEvents },
        { name: "lastSuccessAt", hidden: true, of: ({ lastSuccessAt }) => lastSuccessAt },
        { name: "lastFailureAt", hidden: true, of: ({ lastFailureAt }) => lastFailureAt },
      ],
      empty: "there is no webhook endpoint yet; `claims webhooks create URL` registers one",
    });
  },
});
