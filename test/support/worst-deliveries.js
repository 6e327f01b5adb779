// The deliveries whose explanation takes longest for their size. Their signatures match no known cause.

const TIMESTAMP = "1763596800";
const SIGNATURE = "ab".repeat(32);

/** @typedef {{ name: string, body: Buffer, headers: Record<string, string | string[]> }} WorstDelivery */

/**
 * @param {string} text
 * @param {number} bytes
 */
const fill = (text, bytes) => text.repeat(Math.max(0, Math.floor(bytes / Buffer.byteLength(text))));

/**
 * @param {string} open
 * @param {string} close
 * @param {number} bytes
 */
function nest(open, close, bytes) {
  const depth = Math.floor((bytes - 1) / (open.length + close.length));
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}

/**
 * @param {string} open
 * @param {string} item with its comma
 * @param {string} close
 * @param {number} bytes
 */
const repeatInList = (open, item, close, bytes) =>
  `${open}${fill(item, bytes - open.length - close.length - 1)}1${close}`;

/**
 * @param {(index: number) => string} key
 * @param {number} bytes
 */
function createRecord(key, bytes) {
  let text = "{";
  for (let index = 0; text.length < bytes - 30; index += 1) text += `"${key(index)}":1,`;
  return `${text}"data":1}`;
}

/** @param {string} text */
const base64 = (text) => Buffer.from(text).toString("base64");

/** @type {Record<string, (bytes: number) => string | Buffer>} */
export const WORST_BODIES = {
  "opening brackets": (bytes) => fill("[", bytes),
  "nested lists": (bytes) => nest("[", "]", bytes),
  "nested records": (bytes) => nest('{"a":', "}", bytes),
  "nested lists and records": (bytes) => nest('[{"a":', "}]", bytes),
  "nested lists in data": (bytes) => `{"data":${nest("[", "]", bytes - 10)}}`,
  "a list 3 levels deep": (bytes) => repeatInList("[".repeat(3), "1,", "]".repeat(3), bytes),
  "a list 30 levels deep": (bytes) => repeatInList("[".repeat(30), "1,", "]".repeat(30), bytes),
  "a list 63 levels deep": (bytes) => repeatInList("[".repeat(63), "1,", "]".repeat(63), bytes),
  "a list of numbers": (bytes) => repeatInList("[", "1,", "]", bytes),
  "a list of empty lists": (bytes) => repeatInList("[", "[],", "]", bytes),
  "a list of records": (bytes) =>
    repeatInList("[", '{"id":"3f","note":"caf\u00e9 </b>","n":[1,2.5]},', "]", bytes),
  "a literal with an open string": (bytes) => `{'a':'${fill("\\'", bytes - 6)}`,
  "open strings": (bytes) => `{'a'${fill('"\\', bytes - 4)}`,
  "a list of exponents": (bytes) => repeatInList("[", "1e9,", "]", bytes),
  "a list of escapes": (bytes) => repeatInList("[", '"\\n",', "]", bytes),
  "a list of Unicode escapes": (bytes) => repeatInList("[", '"\\u00e9",', "]", bytes),
  "a list of Latin-1 as UTF-8": (bytes) => repeatInList("[", '"\u00c3\u00a9",', "]", bytes),
  "many keys": (bytes) => createRecord((index) => `k${index}`, bytes),
  "many keys that are numbers": (bytes) => createRecord((index) => String(index * 65_536), bytes),
  "many escaped keys": (bytes) => createRecord((index) => `\\u006b${index}`, bytes),
  "a repeated key": (bytes) => repeatInList("{", '"a":1,', "}", bytes).replace(",1}", "}"),
  "a string of slashes": (bytes) => `"${fill("\\/", bytes - 2)}"`,
  "a string of backslashes": (bytes) => `"${fill("\\\\", bytes - 2)}"`,
  "a string of Unicode escapes": (bytes) => `"${fill("\\u00e9", bytes - 2)}"`,
  "a string of lone surrogates": (bytes) => `"${fill("\\ud800", bytes - 2)}"`,
  "a string beyond ASCII": (bytes) => `{"data":"${fill("\u00e9", bytes - 11)}"}`,
  "a string of HTML and line separators": (bytes) => `"${fill("&/<\u2028", bytes - 2)}"`,
  "combining characters": (bytes) => fill("\u0344\ufb2c\u1f82", bytes),
  "line feeds between letters": (bytes) => `a${fill("\n", bytes - 2)}b`,
  "line ends between letters": (bytes) => `a${fill("\r\n", bytes - 2)}b`,
  "white space alone": (bytes) => fill("\t", bytes),
  "white space before JSON": (bytes) => `${fill("\u00a0", bytes - 14)}{"a":1}`,
  "spaces between letters": (bytes) => `a${fill(" ", bytes - 2)}b`,
  "line feeds in JSON": (bytes) => `[1${fill("\n", bytes - 5)},1]`,
  "JSON truncated in a list": (bytes) => `{"a":[${fill("1,", bytes - 6)}`,
  "JSON truncated in a number": (bytes) => `{"a":${fill("1", bytes - 5)}`,
  "percent encoding": (bytes) => `payload=${fill("%41", bytes - 8)}`,
  "truncated percent encoding": (bytes) => `payload=${fill("%41", bytes - 9)}%`,
  "plus signs": (bytes) => `${fill("+", bytes - 1)}=`,
  "nested lists in a form": (bytes) =>
    `payload=${encodeURIComponent(nest("[", "]", Math.floor(bytes / 3) - 4))}`,
  "nested lists in base64": (bytes) => base64(nest("[", "]", Math.floor((bytes * 3) / 4) - 2)),
  "records in base64": (bytes) => base64(repeatInList("[", '{"a":1},', "]", Math.floor((bytes * 3) / 4) - 2)),
  "base64 in base64": (bytes) => base64(base64(nest("[", "]", Math.floor((bytes * 9) / 16) - 4))),
  "nested lists in a string": (bytes) => JSON.stringify(nest("[", "]", bytes - 2)),
  letters: (bytes) => fill("a", bytes),
  "control characters": (bytes) => fill("\u0001", bytes),
  "replacement characters": (bytes) => fill("\ufffd", bytes),
  "bytes that are not UTF-8": (bytes) => Buffer.alloc(bytes, 0xff),
  "compressed bytes": (bytes) => Buffer.concat([Buffer.from([31, 139, 8, 0]), Buffer.alloc(bytes - 4, 0xc3)]),
};

/** @type {Record<string, (bytes: number) => Record<string, string | string[]>>} */
export const WORST_HEADERS = {
  "spaces in the signature": (bytes) => ({ "x-service-signature": `a${fill(" ", bytes)}b` }),
  "commas in the signature": (bytes) => ({ "x-service-signature": fill(", ", bytes) }),
  "many signatures": (bytes) => ({ "x-service-signature": fill(`${"0".repeat(128)}, `, bytes) + SIGNATURE }),
  "a long signature": (bytes) => ({ "x-service-signature": fill("0", bytes) }),
  "a long timestamp": (bytes) => ({ "x-service-timestamp": fill("1", bytes) }),
  "a timestamp with many fractional digits": (bytes) => ({
    "x-service-timestamp": `2026-01-01T00:00:00.${fill("1", bytes)}Z`,
  }),
  "commas in the timestamp": (bytes) => ({ "x-service-timestamp": fill("1,22,", bytes) }),
  "many timestamps": (bytes) => ({ "x-service-timestamp": Array.from({ length: bytes / 8 }, String) }),
  "a long content type": (bytes) => ({
    "content-type": `application/x-www-form-urlencoded${fill(";", bytes)}`,
    "content-length": "17",
  }),
};

const ORDINARY = '{"id":"7d","type":"partner.test","createdAt":"2026-11-19T23:59:58.120Z","data":{"n":1.0}}';

/**
 * Deliveries that any sender can create, with this many bytes in the body or in the headers.
 * @param {number} bytes
 * @returns {WorstDelivery[]}
 */
export function worstDeliveries(bytes) {
  const base = { "x-service-timestamp": TIMESTAMP, "x-service-signature": SIGNATURE };
  return [
    ...Object.entries(WORST_BODIES).map(([name, create]) => ({
      name,
      body: Buffer.from(create(bytes)),
      headers: base,
    })),
    ...Object.entries(WORST_HEADERS).map(([name, create]) => ({
      name,
      body: Buffer.from(ORDINARY),
      headers: { ...base, ...create(bytes) },
    })),
  ];
}
