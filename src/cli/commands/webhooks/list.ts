import { openService } from "../../connection/service.ts";
import { command } from "../../framework/command.ts";
import { pagingOptions, type ServiceRecord, toPagedList } from "../../records/paged-list.ts";
import { ENDPOINTS, listEndpoints } from "./endpoints.ts";

export const list = command({
  name: "list",
  summary: "list the webhook endpoints of your partner, the newest first",
  remote: "reads",
  output: "list",
  options: pagingOptions,
  examples: [
    "claims webhooks list",
    "claims webhooks list --all --fields id,url,secretPrefix,status",
    "claims webhooks list --json | jq -r '.data[] | select(.status == \"disabled\") | .id'",
  ],
  async run(context, call) {
    const service = await openService(context, call);
    return toPagedList(context, listEndpoints(service, call.options.limit), call.options, {
      what: ENDPOINTS,
      columns: [
        { name: "id", isId: true, value: ({ id }: ServiceRecord) => id },
        { name: "label", value: ({ label }) => label },
        { name: "status", value: ({ status }) => status },
        { name: "environmentScope", title: "scope", value: ({ environmentScope }) => environmentScope },
        { name: "secretPrefix", title: "secret", isId: true, value: ({ secretPrefix }) => secretPrefix },
        { name: "url", value: ({ url }) => url },
        { name: "subscribedEvents", isHidden: true, value: ({ subscribedEvents }) => subscribedEvents },
        { name: "lastSuccessAt", isHidden: true, value: ({ lastSuccessAt }) => lastSuccessAt },
        { name: "lastFailureAt", isHidden: true, value: ({ lastFailureAt }) => lastFailureAt },
      ],
      empty: "there is no webhook endpoint yet; `claims webhooks create URL` registers one",
    });
  },
});
