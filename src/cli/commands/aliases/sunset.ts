import { usageError } from "../../../domain/errors.ts";
import { requireAlias } from "../../connection/broker-aliases.ts";
import { updateConfig } from "../../connection/config-file.ts";
import { command } from "../../framework/command.ts";
import { parseDay } from "../../framework/values.ts";
import { toCard } from "../../output/create-blocks.ts";

export const sunset = command({
  name: "sunset",
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
    const date = args.date === undefined ? null : parseFutureDate(args.date, context.now());
    await updateConfig(context, (config) => {
      const { [path]: _, ...others } = config.sunsets ?? {};
      return { ...config, sunsets: date === null ? others : { ...others, [path]: date } };
    });
    const record = { alias: path, sunset: date };
    const card = toCard("alias", { alias: path, sunset: date ?? "none" }, { record });
    return { kind: "record", id: path, json: record, blocks: [card] };
  },
});

/** A date in the past would refuse the alias immediately. */
function parseFutureDate(text: string, now: number): string {
  parseDay(text);
  if (text > new Date(now).toISOString().slice(0, 10)) return text;
  throw usageError("date_not_in_future", `${text} is not in the future`, {
    hint: "give a date from tomorrow on",
  });
}
