// Apart from the subjects, because only `mapping check` needs the schema compiler for them.
import { Compile } from "typebox/schema";
import { quoteValue } from "../../domain/json.ts";
import { withoutNull } from "../json-schema.ts";
import type { ListItem } from "./list.ts";
import type { Subject } from "./subjects.ts";

/** What the items of a list contradict in the interface: findings about the service. */
export function listContradictions({ name, schema }: Subject, items: readonly ListItem[]): readonly string[] {
  const documented = Object.entries(schema.properties ?? {}).filter(
    ([, field]) => field["x-basis"] === "documented",
  );
  return documented.flatMap(([field, given]) => {
    const values = items.map(({ value }) => value[field]).filter((value) => value !== undefined);
    // A service may leave out what it would send as null.
    if (values.length === 0)
      return items.length > 0 && withoutNull(given) === given
        ? [`${name}: no ${field} is found, but ${given["x-source"]}`]
        : [];
    // Of the others, the interface gives no values.
    if (!given.enum && !given.format) return [];
    const validator = Compile(given);
    const wrong = values.find((value) => !validator.Check(value));
    return wrong === undefined ? [] : [`${name}: ${field} is ${quoteValue(wrong)}, but ${given["x-source"]}`];
  });
}
