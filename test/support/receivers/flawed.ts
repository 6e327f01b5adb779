import { createHmac } from "node:crypto";
import type { DiagnosisId } from "../../../src/domain/webhooks/probe/diagnoses.ts";
import { type ChooseStatus, header, type Received, SECRET } from "./listen.ts";

const hmac = (text: string | Buffer, ...more: (string | Buffer)[]): string =>
  more.reduce((digest, part) => digest.update(part), createHmac("sha256", SECRET).update(text)).digest("hex");

/** How a flawed receiver differs from a correct one. */
interface Flaw {
  readonly expected?: (timestamp: string | undefined, raw: Buffer) => string;
  readonly equals?: (given: string, expected: string) => boolean;
  readonly body?: (raw: Buffer) => Buffer | string;
  readonly isMissing?: (received: Received) => boolean;
  readonly refusal?: number;
}

function createReceiver({
  body = (raw) => raw,
  expected = (timestamp, raw) => hmac(`${timestamp}.`, body(raw)),
  equals = (one, other) => one === other,
  isMissing = (received) => !header(received, "timestamp") || !header(received, "signature"),
  refusal = 401,
}: Flaw): ChooseStatus {
  return (received) => {
    if (isMissing(received)) return refusal;
    const expectedSignature = expected(header(received, "timestamp"), received.raw);
    return equals(header(received, "signature") ?? "", expectedSignature) ? 200 : refusal;
  };
}

const isNeverMissing = () => false;
const parseJson = (raw: Buffer): unknown => JSON.parse(raw.toString("utf8"));

/** Python's `json.dumps(json.loads(body))`, for the bodies of the probe. */
const printAsPython = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(printAsPython).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${printAsPython(member)}`)
    .join(", ")}}`;
};

/** A flaw, the receiver that has it, and the expected diagnoses. */
export const FLAWED: readonly {
  readonly flaw: string;
  readonly chooseStatus: ChooseStatus;
  readonly diagnoses: readonly DiagnosisId[];
}[] = [
  { flaw: "checks nothing", chooseStatus: () => 200, diagnoses: ["receiver.accepts_everything"] },
  {
    flaw: "checks only whether the headers exist",
    chooseStatus: createReceiver({ equals: () => true }),
    diagnoses: ["receiver.does_not_verify"],
  },
  {
    flaw: "reserializes the body",
    chooseStatus: createReceiver({ body: (raw) => JSON.stringify(parseJson(raw)) }),
    diagnoses: ["receiver.reserializes"],
  },
  {
    flaw: "reserializes the body as Python does",
    chooseStatus: createReceiver({ body: (raw) => printAsPython(parseJson(raw)) }),
    diagnoses: ["receiver.reserializes"],
  },
  {
    flaw: "compares the first 8 digits",
    chooseStatus: createReceiver({
      equals: (given, expectedSignature) => given.slice(0, 8) === expectedSignature.slice(0, 8),
    }),
    diagnoses: ["receiver.compares_a_part"],
  },
  {
    flaw: "compares only a prefix of the given length, also an empty one",
    chooseStatus: createReceiver({
      equals: (given, expectedSignature) => expectedSignature.startsWith(given),
      isMissing: (all) => !header(all, "timestamp"),
    }),
    diagnoses: ["receiver.compares_a_part", "receiver.accepts_missing_headers"],
  },
  {
    flaw: "signs the body without the timestamp",
    chooseStatus: createReceiver({ expected: (_, raw) => hmac(raw) }),
    diagnoses: ["receiver.signs_another_text"],
  },
  {
    flaw: "verifies only deliveries with a signature",
    chooseStatus: createReceiver({
      isMissing: isNeverMissing,
      equals: (given, expectedSignature) => given === "" || given === expectedSignature,
    }),
    diagnoses: ["receiver.accepts_missing_headers"],
  },
  {
    flaw: "has no secret",
    chooseStatus: createReceiver({
      expected: (timestamp, raw) =>
        createHmac("sha256", "").update(`${timestamp}.`).update(raw).digest("hex"),
    }),
    diagnoses: ["receiver.empty_secret"],
  },
  {
    flaw: "decodes the body as Latin-1",
    chooseStatus: createReceiver({ body: (raw) => raw.toString("latin1") }),
    diagnoses: ["receiver.changes_the_body"],
  },
  {
    flaw: "has another secret",
    chooseStatus: createReceiver({
      expected: (timestamp, raw) =>
        createHmac("sha256", "whsec_other").update(`${timestamp}.`).update(raw).digest("hex"),
    }),
    diagnoses: ["receiver.refuses_everything"],
  },
  {
    flaw: "fails after verifying",
    chooseStatus: (received) => {
      if (createReceiver({})(received) === 401) return 401;
      throw new Error("the queue is full");
    },
    diagnoses: ["receiver.breaks"],
  },
  { flaw: "always redirects", chooseStatus: () => 308, diagnoses: ["receiver.redirects"] },
  { flaw: "always responds 404", chooseStatus: () => 404, diagnoses: ["receiver.absent"] },
];
