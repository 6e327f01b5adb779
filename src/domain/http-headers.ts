/** Headers of a message in the order and case in which they were sent. Unlike an iterator, a list can be read more than once. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Pairs of Node's flat list of raw headers, in which names and values alternate. */
export const pairRawHeaders = (raw: readonly string[]): HeaderList =>
  raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as const] : []));

/** Header names are case-insensitive (RFC 9110 §5.1). */
export function headerValues(headers: HeaderList, name: string): readonly string[] {
  const lowerName = name.toLowerCase();
  const values: string[] = [];
  for (const [key, value] of headers)
    if (key.length === name.length && key.toLowerCase() === lowerName) values.push(value);
  return values;
}
