import { updateLocatorCredentials } from "../../../connection/locator.ts";
import { command } from "../../../framework/command.ts";
import { readControl, requireControl } from "../../../sandbox-control/control.ts";
import { environmentOption, sandboxNameOption } from "../options.ts";

/** What the control API answers. */
interface RotatedKey {
  readonly environment: "sandbox" | "production";
  readonly apiKey: string;
}

export const credentialsRotate = command({
  name: "credentials rotate",
  summary: "give a sandbox a new API key; the old one is refused from then on",
  remote: false,
  output: "record",
  options: { ...sandboxNameOption, ...environmentOption },
  examples: [
    "claims sandbox credentials rotate",
    "export CLAIMS_API_KEY=$(claims sandbox credentials rotate --json | jq -r .apiKey)",
  ],
  async run(context, { options }) {
    const control = await requireControl(context, options.name);
    const rotated = await readControl<RotatedKey>(context, control, "apiKey", "POST", "/credentials/rotate", {
      body: { environment: options.in ?? "sandbox" },
    });
    const { environment, apiKey } = rotated;
    await updateLocatorCredentials(context, control.url, (known) => ({
      ...known,
      [environment]: { ...known[environment], apiKey },
    }));
    return {
      kind: "record",
      id: environment,
      json: rotated,
      blocks: [
        {
          kind: "card",
          rows: [
            ["environment", environment],
            ["API key", apiKey],
          ],
        },
        {
          kind: "paragraph",
          lines: ["The old key is refused; programs that have it in CLAIMS_API_KEY need this one."],
          isAdvice: true,
        },
      ],
    };
  },
});
