import { requireAlias } from "../../connection/broker-aliases.ts";
import { updateConfig } from "../../connection/config-file.ts";
import { command } from "../../framework/command.ts";
import { parseDay } from "../../framework/values.ts";
import { toCard } from "../../output/create-blocks.ts";
import { printMessage } from "../../output/stderr.ts";

export const sunset = command({
  name: "sunset",
  prints: "AliasSunset",
  summary: "set the date from which this program refuses an alias",
  output: "record",
  quietPrints: "the alias",
  arguments: [
    { name: "alias", help: "path of the alias, such as /broker/onboard" },
    { name: "date", help: "YYYY-MM-DD; without it, the date is removed", isOptional: true },
  ],
  examples: ["claims aliases sunset /broker/onboard 2027-03-31", "claims aliases sunset /broker/onboard"],
  async run(context, { args }) {
    const { path } = requireAlias(args.alias);
    const date = args.date ?? null;
    if (date !== null) parseDay(date);
    await updateConfig(context, (config) => {
      const { [path]: _, ...others } = config.sunsets ?? {};
      return { ...config, sunsets: date === null ? others : { ...others, [path]: date } };
    });
    if (date !== null && date <= new Date(context.now()).toISOString().slice(0, 10))
      printMessage(context, `${date} has passed: from now on, ${path} is refused without --allow-sunset`);
    const record = { alias: path, sunset: date };
    const card = toCard("alias", { alias: path, sunset: date ?? "none" }, { record });
    return { kind: "record", id: path, json: record, blocks: [card] };
  },
});
