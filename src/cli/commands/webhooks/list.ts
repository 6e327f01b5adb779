import { explainDisabled } from "../../records/disabled-endpoints.ts";
import { listCommand } from "../../records/record-commands.ts";

export const list = listCommand({
  summary: "list the webhook endpoints of your partner, newest first",
  noun: "webhook endpoints",
  operation: ({ webhooks }) => webhooks.endpoints,
  hasAlias: false,
  columns: [
    { name: "id", isId: true },
    { name: "label" },
    { name: "status" },
    { name: "environmentScope", title: "scope" },
    { name: "secretPrefix", title: "secret", isId: true },
    { name: "url" },
  ],
  emptyMessage: "no webhook endpoint yet; `claims webhooks create URL` registers one",
  notes: (service) => (endpoints) => explainDisabled(service, endpoints),
  examples: [
    "claims webhooks list",
    "claims webhooks list --all --fields id,url,secretPrefix,status",
    "claims webhooks list --json | jq -r '.data[] | select(.status == \"disabled\") | .id'",
  ],
});
