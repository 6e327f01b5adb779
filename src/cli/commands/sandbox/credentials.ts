import { updateLocatorCredentials } from "../../connection/locator.ts";
import { toCardOutput } from "../../output/output.ts";
import { defineControlCommand } from "../../sandbox-control/control-command.ts";

export const credentialsRotate = defineControlCommand({
  name: "credentials rotate",
  prints: "POST /credentials/rotate",
  summary: "replace the API key of a sandbox; the sandbox refuses the old one from then on",
  output: "record",
  examples: [
    "claims sandbox credentials rotate",
    "export CLAIMS_API_KEY=$(claims sandbox credentials rotate --json | jq -r .apiKey)",
  ],
  async run(context, _, control) {
    const body = { environment: "sandbox" } as const;
    const rotated = await control.send("POST /credentials/rotate", "apiKey", { body });
    const { environment, apiKey } = rotated;
    await updateLocatorCredentials(context, control.target.url, (known) => ({
      ...known,
      [environment]: { ...known[environment], apiKey },
    }));
    const advice = "The sandbox refuses the old key. Set CLAIMS_API_KEY to this one in programs that use it.";
    const fields = { environment, "API key": apiKey };
    return toCardOutput("credentials", { id: environment, record: rotated, fields, advice });
  },
});
