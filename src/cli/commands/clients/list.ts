import { openService } from "../../connection/service.ts";
import { chooseAlias, viaAliasOptions } from "../../connection/via-alias.ts";
import { command } from "../../framework/command.ts";
import { pagingOptions, toPagedList } from "../../records/paged-list.ts";

export const list = command({
  name: "list",
  summary: "list the clients, the newest first",
  remote: "reads",
  output: "list",
  options: { ...pagingOptions, ...viaAliasOptions },
  examples: ["claims clients list", "claims clients list --all --csv --fields id,name,reference"],
  async run(context, call) {
    const { options } = call;
    const { client, operations } = await openService(context, call);
    const { list: operation } = operations.clients;
    const alias = await chooseAlias(context, operation.id, options);
    const pages = client.list(operation, { query: { limit: options.limit }, alias });
    return toPagedList(context, pages, options, {
      what: "clients",
      columns: [
        { name: "id", isId: true },
        { name: "name" },
        { name: "importerNumber", title: "importer" },
        { name: "reference" },
        { name: "contactEmail", isHidden: true },
        { name: "createdAt", isHidden: true },
      ],
      empty: "there is no client yet; `claims clients create --name NAME` adds one",
    });
  },
});
