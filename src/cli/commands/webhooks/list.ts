import { openService } from "../../connection/service.ts";
import { command } from "../../framework/command.ts";
import { pagingOptions, toPagedList } from "../../records/paged-list.ts";
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
        { name: "id", isId: true },
        { name: "label" },
        { name: "status" },
        { name: "environmentScope", title: "scope" },
        { name: "secretPrefix", title: "secret", isId: true },
        { name: "url" },
        { name: "subscribedEvents", isHidden: true },
        { name: "lastSuccessAt", isHidden: true },
        { name: "lastFailureAt", isHidden: true },
      ],
      empty: "there is no webhook endpoint yet; `claims webhooks create URL` registers one",
    });
  },
});
