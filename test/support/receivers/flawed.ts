import { createHmac } from "node:crypto";
import type { DiagnosisId } from "../../../src/domain/webhooks/probe/diagnoses.ts";
import { header, type Received, SECRET, type Verdict } from "./listen.ts";

const hmac = (text: string | Buffer, ...more: (string | Buffer)[]): string =>
  more.reduce((made, part) => made.update(part), createHmac("sha256", SECRET).update(text)).digest("hex");

/** How a flawed receiver differs from one that is right. */
interface Flaw {
  readonly expected?: (timestamp: string | undefined, raw: Buffer) => string;
  readonly equals?: (given: string, expected: string) => boolean;
  readonly body?: (raw: Buffer) => Buffer | string;
  readonly isMissing?: (received: Received) => boolean;
  readonly refusal?: number;
}

function verdict({
  body = (raw) => raw,
  expected = (timestamp, raw) => hmac(`${timestamp}.`, body(raw)),
  equals = (one, other) => one === other,
  isMissing = (received) => !header(received, "timestamp") || !header(received, "signature"),
  refusal = 401,
}: Flaw): Verdict {
  return (received) => {
    if (isMissing(received)) return refusal;
    const right = expected(header(received, "timestamp"), received.raw);
    return equals(header(received, "signature") ?? "", right) ? 200 : refusal;
  };
}

const never = () => false;
const parsed = (raw: Buffer): unknown => JSON.parse(raw.toString("utf8"));

/** Python's `json.dumps(json.loads(body))`, as far as these bodies go. */
const asPython = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(asPython).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, each]) => `${JSON.stringify(name)}: ${asPython(each)}`)
    .join(", ")}}`;
};

const sorted = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .sort()
          .map(([name, each]) => [name, sorted(each)]),
      )
    : value;

/** A receiver's flaw, the receiver, and all that is to be said of it. */
export const FLAWED: readonly {
  readonly flaw: string;
  readonly verdict: Verdict;
  readonly diagnoses: readonly DiagnosisId[];
}[] = [
  { flaw: "checks nothing", verdict: () => 200, diagnoses: ["receiver.accepts_everything"] },
  {
    flaw: "answers before it verifies",
    verdict: (received) => {
      void Promise.resolve(received).then(verdict({}));
      return 200;
    },
    diagnoses: ["receiver.accepts_everything"],
  },
  {
    flaw: "looks whether the headers are there",
    verdict: verdict({ equals: () => true }),
    diagnoses: ["receiver.does_not_verify"],
  },
  {
    flaw: "parses and prints again",
    verdict: verdict({ body: (raw) => JSON.stringify(parsed(raw)) }),
    diagnoses: ["receiver.reserializes"],
  },
  {
    flaw: "parses and prints again as Python does",
    verdict: verdict({ body: (raw) => asPython(parsed(raw)) }),
    diagnoses: ["receiver.reserializes"],
  },
  {
    flaw: "parses and prints again, indented",
    verdict: verdict({ body: (raw) => JSON.stringify(parsed(raw), null, 2) }),
    diagnoses: ["receiver.reserializes"],
  },
  {
    flaw: "parses and prints again with its keys sorted",
    verdict: verdict({ body: (raw) => JSON.stringify(sorted(parsed(raw))) }),
    diagnoses: ["receiver.reserializes"],
  },
  {
    flaw: "compares the first 8 digits",
    verdict: verdict({ equals: (given, right) => given.slice(0, 8) === right.slice(0, 8) }),
    diagnoses: ["receiver.compares_a_part"],
  },
  {
    flaw: "compares as many digits as are given",
    verdict: verdict({ equals: (given, right) => right.startsWith(given) }),
    diagnoses: ["receiver.compares_a_part"],
  },
  {
    flaw: "compares as many digits as are given, none as well",
    verdict: verdict({
      equals: (given, right) => right.startsWith(given),
      isMissing: (all) => !header(all, "timestamp"),
    }),
    diagnoses: ["receiver.compares_a_part", "receiver.accepts_missing_headers"],
  },
  {
    flaw: "signs the body without the timestamp",
    verdict: verdict({ expected: (_, raw) => hmac(raw) }),
    diagnoses: ["receiver.signs_body_only"],
  },
  {
    flaw: "signs without the full stop",
    verdict: verdict({ expected: (timestamp, raw) => hmac(`${timestamp}`, raw) }),
    diagnoses: ["receiver.signs_without_dot"],
  },
  {
    flaw: "takes a signature over the body alone as well",
    verdict: verdict({
      equals: (given, right) => right.split(" ").includes(given),
      expected: (timestamp, raw) => `${hmac(`${timestamp}.`, raw)} ${hmac(raw)}`,
    }),
    diagnoses: ["receiver.second_base_string"],
  },
  {
    flaw: "takes a missing timestamp for an empty one",
    verdict: verdict({ expected: (timestamp = "", raw) => hmac(`${timestamp}.`, raw), isMissing: never }),
    diagnoses: ["receiver.accepts_missing_headers"],
  },
  {
    flaw: "verifies only where there is a signature",
    verdict: verdict({
      isMissing: never,
      equals: (given, right) => given === "" || given === right,
    }),
    diagnoses: ["receiver.accepts_missing_headers"],
  },
  {
    flaw: "has no secret",
    verdict: verdict({
      expected: (timestamp, raw) =>
        createHmac("sha256", "").update(`${timestamp}.`).update(raw).digest("hex"),
    }),
    diagnoses: ["receiver.empty_secret"],
  },
  {
    flaw: "has an empty secret beside the right one",
    verdict: (received) => {
      const has = (key: string) =>
        createHmac("sha256", key)
          .update(`${header(received, "timestamp")}.`)
          .update(received.raw)
          .digest("hex") === header(received, "signature");
      const isMissing = !header(received, "timestamp") || !header(received, "signature");
      return !isMissing && (has("") || has(SECRET)) ? 200 : 401;
    },
    diagnoses: ["receiver.empty_secret"],
  },
  {
    flaw: "reads Latin-1",
    verdict: verdict({ body: (raw) => raw.toString("latin1") }),
    diagnoses: ["receiver.decodes"],
  },
  {
    flaw: "trims",
    verdict: verdict({ body: (raw) => raw.toString("utf8").trim() }),
    diagnoses: ["receiver.trims"],
  },
  {
    flaw: "makes LF of CRLF",
    verdict: verdict({ body: (raw) => raw.toString("utf8").replaceAll("\r\n", "\n") }),
    diagnoses: ["receiver.changes_line_ends"],
  },
  {
    flaw: "has another secret",
    verdict: verdict({
      expected: (timestamp, raw) =>
        createHmac("sha256", "whsec_other").update(`${timestamp}.`).update(raw).digest("hex"),
    }),
    diagnoses: ["receiver.refuses_everything"],
  },
  {
    flaw: "breaks after verifying",
    verdict: (received) => {
      if (verdict({})(received) === 401) return 401;
      throw new Error("the queue is full");
    },
    diagnoses: ["receiver.breaks_on_genuine"],
  },
  { flaw: "breaks", verdict: () => 503, diagnoses: ["receiver.breaks"] },
  { flaw: "redirects", verdict: () => 308, diagnoses: ["receiver.redirects"] },
  { flaw: "is elsewhere", verdict: () => 404, diagnoses: ["receiver.absent"] },
];
