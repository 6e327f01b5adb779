import { credentialError } from "../../../domain/errors.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import { openService } from "../../connection/service.ts";
import { command } from "../../framework/command.ts";

export const token = command({
  name: "token",
  summary: "fetch an access token for an OAuth client and print it",
  remote: "reads",
  output: "bytes",
  operation: ({ oauth }) => oauth.token,
  examples: ["claims auth token", 'curl -H "Authorization: Bearer $(claims auth token)" URL'],
  async run(context, call) {
    const { client, connection } = await openService(context, call);
    if (connection.credential?.kind === "api_key") {
      throw credentialError("no_oauth_client", "an API key needs no token", {
        hint: "send the key itself as Bearer; a token is for an OAuth client: `claims auth login --client-id ID`",
      });
    }
    const response = await client.fetchToken();
    const { access_token: accessToken } = parseJsonResponse(response, "the token") as {
      access_token: string;
    };
    return { kind: "stream", body: [call.global.json ? response.body : `${accessToken}\n`], isSecret: true };
  },
});
