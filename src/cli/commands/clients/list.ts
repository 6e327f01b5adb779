import { aliasFor, viaAlias } from "../../aliases/via-alias.ts";
import { command } from "../../command.ts";
import { pagedOutput, pagingOptions } from "../../paged-list.ts";
import { openService } from "../../service.ts";

export const list = command({
  name: "list",
  summary: "list the clients, the newest first",
  remote: "reads",
  answers: "list",
  options: { ...pagingOptions, ...viaAlias },
  examples: ["claims clients list", "claims clients list --all --csv --fields id,name,reference"],
  async run(context, call) {
    const { options } = call;
    const { client, operations } = await openService(context, call);
    const { list: operation } = operations.clients;
    const alias = await aliasFor(context, operation.id, options);
    const pages = client.list(operation, { query: { limit: options.limit }, alias });
    return pagedOutput(context, pages, options, {
      what: "clients",
      columns: [
        { name: "id", isId: true, of: ({ id }) => id },
        { name: "name", of: ({ name }) => name },
        { name: "importerNumber", title: "importer", of: ({ importerNumber }) => importerNumber },
        { name: "reference", of: ({ reference }) => reference },
        { name: "contactEmail", hidden: true, of: ({ contactEmail }) => contactEmail },
        { name: "createdAt", hidden: true, of: ({ createdAt }) => createdAt },
      ],
      empty: "there is no client yet; `claims clients create --name NAME` adds one",
    });
  },
});
