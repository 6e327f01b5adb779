import { UUID } from "../../domain/uuid.ts";

/** A way to write one value of the contract. `read` gives back what `write` was given; any other value stays as it was sent. */
export interface Codec {
  readonly of: readonly ValueKind[];
  write(value: unknown): unknown;
  read(value: unknown): unknown;
  /** Whether `read(write(x))` can differ from x in more than what the form does not show, such as milliseconds. */
  readonly isLossy?: true;
}

export type ValueKind = "time" | "date" | "money" | "integer" | "boolean" | "text" | "texts";

const on =
  (type: string, change: (value: never) => unknown) =>
  (value: unknown): unknown =>
    typeof value === type ? (change(value as never) ?? value) : value;

const toTime = (value: number | string): string | undefined => {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
};

const asNumber = (value: unknown): number | undefined => {
  const number = typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value;
  return typeof number === "number" ? number : undefined;
};

const epoch = (unitMs: number, toText: boolean): Codec => ({
  of: ["time"],
  ...(unitMs > 1 && { isLossy: true }),
  write: on("string", (text: string) => {
    const number = Math.floor(Date.parse(text) / unitMs);
    if (Number.isNaN(number)) return text;
    return toText ? String(number) : number;
  }),
  read: (value) => {
    const number = asNumber(value);
    return number === undefined ? value : (toTime(number * unitMs) ?? value);
  },
});

/** A time as text to the second; `read` makes of it what `Date` can read. */
const timeText = (write: (date: Date) => string, read = (text: string) => text): Codec => ({
  of: ["time"],
  isLossy: true,
  write: on("string", (text: string) => {
    const date = new Date(text);
    return Number.isNaN(date.getTime()) ? text : write(date);
  }),
  read: on("string", (text: string) => toTime(read(text))),
});

/** A date by a pattern of its parts, such as `D.M.Y`. */
const dateText = (pattern: string): Codec => {
  const parts = [...pattern.replace(/[^YMD]/g, "")];
  const expression = new RegExp(
    `^${pattern
      .replace(/[^YMD]/g, "\\$&")
      .replace("Y", "(\\d{4})")
      .replace(/[MD]/g, "(\\d{2})")}$`,
  );
  return {
    of: ["date"],
    write: on("string", (text: string) => {
      const [, Y, M, D] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
      const values: Record<string, string | undefined> = { Y, M, D };
      return Y === undefined ? text : pattern.replace(/[YMD]/g, (part) => values[part] ?? part);
    }),
    read: on("string", (text: string) => {
      const found = expression.exec(text);
      if (!found) return text;
      const values = Object.fromEntries(parts.map((part, index) => [part, found[index + 1]]));
      return `${values.Y}-${values.M}-${values.D}`;
    }),
  };
};

const amount = (write: (text: string) => unknown, read: (value: unknown) => string | undefined): Codec => ({
  of: ["money"],
  write: on("number", (cents: number) => {
    const digits = String(Math.abs(cents)).padStart(3, "0");
    return write(`${cents < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`);
  }),
  read: (value) => {
    const text = read(value);
    return text !== undefined && /^-?\d+(\.\d+)?$/.test(text) ? Math.round(Number(text) * 100) : value;
  },
});

const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const flag = (yes: unknown, no: unknown): Codec => ({
  of: ["boolean"],
  write: on("boolean", (value: boolean) => (value ? yes : no)),
  read: (value) => (value === yes ? true : value === no ? false : value),
});

const joined = (separator: string): Codec => ({
  of: ["texts"],
  isLossy: true,
  write: (value) => (Array.isArray(value) ? value.join(separator) : value),
  read: on("string", (text: string) => (text === "" ? [] : text.split(separator))),
});

const lastSegment = (text: string): string =>
  text
    .replace(/[?#].*$/s, "")
    .split("/")
    .findLast(Boolean) ?? text;

/** Every way to write a value besides that of the contract, by its name in the file. */
export const CODECS = {
  "epoch-seconds": epoch(1000, false),
  "epoch-ms": epoch(1, false),
  "epoch-seconds-text": epoch(1000, true),
  "epoch-ms-text": epoch(1, true),
  "epoch-seconds-decimal-text": timeText(
    (date) => (date.getTime() / 1000).toFixed(3),
    (text) => (/^\d{9,10}\.\d+$/.test(text) ? new Date(Number(text) * 1000).toISOString() : text),
  ),
  "iso-basic": timeText(
    (date) => date.toISOString().replace(/[-:]|\.\d+/g, ""),
    (text) => text.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, "$1-$2-$3:$4:$5"),
  ),
  rfc3339: timeText((date) => date.toISOString()),
  "without-fraction": timeText((date) => date.toISOString().replace(/\.\d+Z$/, "Z")),
  "with-offset": timeText((date) => date.toISOString().replace(/\.\d+Z$/, "+00:00")),
  "with-fraction-and-offset": timeText((date) => date.toISOString().replace("Z", "+00:00")),
  "without-zone": timeText(
    (date) => date.toISOString().replace(/T(.*)\.\d+Z$/, " $1"),
    (text) => (/[Zz]$|[+-]\d\d:?\d\d$/.test(text) ? text : `${text.replace(" ", "T")}Z`),
  ),
  rfc2822: timeText((date) => date.toUTCString().replace("GMT", "+0000")),
  "http-date": timeText((date) => date.toUTCString()),
  "month-first": dateText("M/D/Y"),
  "day-first": dateText("D.M.Y"),
  "digits-only": dateText("YMD"),
  decimal: amount(Number, (value) => (typeof value === "number" ? value.toFixed(4) : undefined)),
  "decimal-text": amount((text) => text, asText),
  "decimal-comma": amount(
    (text) => text.replace(".", ","),
    (value) => asText(value)?.replace(",", "."),
  ),
  "with-currency": amount(
    (text) => `USD ${text}`,
    (value) =>
      asText(value)
        ?.replace(/^[A-Z]{3} | [A-Z]{3}$|^\$/g, "")
        .replaceAll(",", ""),
  ),
  text: {
    of: ["integer", "money"],
    write: on("number", String),
    read: on("string", (text: string) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text)),
  },
  "true-text": flag("true", "false"),
  "yes-no": flag("yes", "no"),
  "y-n": flag("Y", "N"),
  "zero-one": flag(1, 0),
  joined: joined(","),
  "joined-space": joined(" "),
  "joined-semicolon": joined(";"),
  upper: {
    of: ["text"],
    isLossy: true,
    write: on("string", (text: string) => text.toUpperCase()),
    read: on("string", (text: string) => text.toLowerCase()),
  },
  undashed: {
    of: ["text"],
    write: on("string", (text: string) =>
      UUID.test(text) && text === text.toLowerCase() ? text.replaceAll("-", "") : text,
    ),
    read: on("string", (text: string) =>
      /^[0-9a-f]{32}$/.test(text) ? text.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-") : text,
    ),
  },
  base64: {
    of: ["text"],
    write: on("string", (text: string) => btoa(String.fromCodePoint(...new TextEncoder().encode(text)))),
    read: on("string", readBase64),
  },
  "last-segment": {
    of: ["text"],
    write: on("string", (text: string) => `/v1/diligence/status/${encodeURIComponent(text)}`),
    read: on("string", (text: string) => decodeURIComponent(lastSegment(text))),
  },
} as const satisfies Readonly<Record<string, Codec>>;

export type CodecName = keyof typeof CODECS;

function readBase64(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
  } catch {
    return text;
  }
}

export const CODEC_NAMES = Object.keys(CODECS) as readonly CodecName[];

export const findCodec = (name: CodecName | undefined): Codec | undefined =>
  name === undefined ? undefined : CODECS[name];
