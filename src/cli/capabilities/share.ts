import type { TSchema } from "typebox";
import type { CapabilitiesPart, CommandEntry, OptionEntry } from "../documents/capabilities.ts";

/** References shorter schemas than this, in characters of JSON, would be longer than the schemas. */
const MIN_SHARED_LENGTH = 80;

/**
 * The schemas of these names, with each repeated part as a `$ref` to its first place under `$defs`.
 * @param all other schemas too, which are included where one of these is a part
 */
export function shareSchemas(
  all: Readonly<Record<string, TSchema>>,
  names: ReadonlySet<string>,
): Record<string, unknown> {
  const places = new Map(
    Object.entries(all).map(([name, schema]) => [JSON.stringify(schema), toPlace(name)]),
  );
  const queue = Object.keys(all).filter((name) => names.has(name));
  const share = (value: unknown, place: string): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const text = JSON.stringify(value);
    const known = places.get(text);
    if (known !== undefined && known !== place) {
      const name = Object.keys(all).find((each) => toPlace(each) === known);
      if (name !== undefined && !queue.includes(name)) queue.push(name);
      return { $ref: known };
    }
    if (text.length > MIN_SHARED_LENGTH && isSchema(value)) places.set(text, place);
    if (Array.isArray(value)) return value.map((item, index) => share(item, `${place}/${index}`));
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, share(member, `${place}/${escapePointer(key)}`)]),
    );
  };
  const shared = new Map<string, unknown>();
  // The queue grows while it is read.
  for (const name of queue) shared.set(name, share(all[name], toPlace(name)));
  return Object.fromEntries(
    Object.keys(all).flatMap((name) => (shared.has(name) ? [[name, shared.get(name)]] : [])),
  );
}

const toPlace = (name: string) => `#/$defs/${escapePointer(name)}`;

/** A list or a map of properties is none. */
const isSchema = (value: object): boolean =>
  ("type" in value && typeof value.type === "string") || "anyOf" in value || "enum" in value;

/** RFC 6901, section 3; in a URI fragment. */
const escapePointer = (key: string): string =>
  encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));

/** The commands with the options that several of them have alike named once: of a flag, what most of them mean by it. */
export function shareOptions(
  commands: readonly CommandEntry[],
): Pick<CapabilitiesPart, "commands" | "options"> {
  const counts = new Map<string, { option: OptionEntry; count: number }>();
  for (const option of commands.flatMap(({ options }) => options)) {
    const text = JSON.stringify(option);
    counts.set(text, { option, count: (counts.get(text)?.count ?? 0) + 1 });
  }
  const shared = new Map<string, string>();
  for (const [text, { option, count }] of [...counts].sort(([, a], [, b]) => b.count - a.count))
    if (count > 1 && !shared.has(option.flag)) shared.set(option.flag, text);
  const isShared = (option: OptionEntry) => shared.get(option.flag) === JSON.stringify(option);
  return {
    commands: commands.map(({ options, ...command }) => ({
      ...command,
      options: options.map(({ flag }) => flag),
      ownOptions: options.filter((option) => !isShared(option)),
    })),
    options: [...shared.values()].map((text) => JSON.parse(text) as OptionEntry),
  };
}
