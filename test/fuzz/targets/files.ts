import { Buffer } from "node:buffer";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc, { type Arbitrary } from "fast-check";
import { readConfig } from "../../../src/cli/connection/config.ts";
import { readLocators } from "../../../src/cli/connection/locator.ts";
import { readDotenv } from "../../../src/cli/connection/sources.ts";
import type { WriteEvent } from "../../../src/cli/write-log/events.ts";
import { WriteLog } from "../../../src/cli/write-log/write-log.ts";
import { toWriteRecords } from "../../../src/cli/write-log/write-records.ts";
import { ClaimsError } from "../../../src/domain/errors.ts";
import { createFuzzContext } from "../cli.ts";
import { defineTarget, requireThat } from "../target.ts";

type Kind = "env" | "config" | "log" | "locator";

/** One place of a file is overwritten, removed or filled; then it may be cut off. */
interface Damage {
  /** A position, modulo the length of the file. */
  readonly at: number;
  readonly removed: number;
  /** Latin-1. */
  readonly insertion: string;
  readonly isTruncated: boolean;
}

interface Input {
  readonly files: readonly { readonly kind: Kind; readonly damage: readonly Damage[] }[];
}

const damage: Arbitrary<Damage> = fc.record({
  at: fc.nat(1 << 20),
  removed: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(0, 1) }, { weight: 1, arbitrary: fc.nat(60) }),
  insertion: fc.oneof(
    { weight: 4, arbitrary: fc.nat(255).map((code) => String.fromCharCode(code)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "",
        "\n",
        "\r\n",
        "\0\0\0\0\0\0\0\0",
        "'",
        '"',
        "\\",
        "=",
        "{",
        "}",
        "\x18",
        "\xff\xfe",
      ),
    },
  ),
  isTruncated: fc.nat(9).map((digit) => digit === 0),
});

const input: Arbitrary<Input> = fc.record({
  files: fc.array(
    fc.record({
      kind: fc.constantFrom<Kind>("env", "config", "log", "locator"),
      damage: fc.array(damage, { minLength: 1, maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 10 },
  ),
});

const toEvents = (index: number): WriteEvent[] => {
  const shared = {
    at: "2026-11-20T00:00:00.000Z",
    key: `key-${index}`,
    content: "ab".repeat(32),
    operation: "diligence.submit",
    baseUrl: "http://127.0.0.1:1",
    environment: "sandbox",
  };
  const intent = {
    ...shared,
    type: "intent" as const,
    seller: "M\u00fcller",
    file: "a.csv",
    bytes: 12,
    pid: 4_000 + index,
  };
  return [intent, { ...shared, type: "accepted", jobId: `job-${index}`, status: 202 }];
};

const EVENTS = [0, 1, 2].flatMap(toEvents);
const APPENDED = toEvents(9);

const CONTENTS: Readonly<Record<Kind, string>> = {
  env: "# Settings\nCLAIMS_BASE_URL=http://127.0.0.1:1\nexport CLAIMS_API_KEY='sk_a b'\r\nOTHER=\"two\nlines\"\nCLAIMS_WEBHOOK_SECRET=whsec_old\nLAST=1\n",
  config: JSON.stringify({
    version: 1,
    profiles: { acme: { baseUrl: "http://127.0.0.1:1", environment: "sandbox" } },
  }),
  log: EVENTS.map((event) => `${JSON.stringify(event)}\n`).join(""),
  locator: JSON.stringify({
    ...{
      name: "default",
      url: "http://127.0.0.1:1",
      controlToken: "t",
      credentials: { sandbox: { apiKey: "sk_a" } },
    },
    ...{ pid: 999_999, startTime: "x", pidNamespace: "y" },
  }),
};

function applyDamage(content: Buffer, { at, removed, insertion, isTruncated }: Damage): Buffer {
  const place = at % (content.length + 1);
  if (isTruncated) return content.subarray(0, place);
  return Buffer.concat([
    content.subarray(0, place),
    Buffer.from(insertion, "latin1"),
    content.subarray(place + removed),
  ]);
}

/** 9. Files of the command line, damaged at any byte. */
export const files = defineTarget<Input>({
  name: "files",
  arbitrary: input,
  async open() {
    const folder = mkdtempSync(join(tmpdir(), "claims-fuzz-files-"));
    const { context } = createFuzzContext(folder, {});
    mkdirSync(join(folder, "state"), { recursive: true });
    const path = (name: string) => join(folder, name);

    /** Reads something; a refusal is the other result. */
    const attempt = async <T>(read: () => Promise<T>): Promise<T | null> => {
      try {
        return await read();
      } catch (error) {
        if (!(error instanceof ClaimsError)) throw error;
        return null;
      }
    };

    const checks: Readonly<Record<Kind, (bytes: Buffer) => Promise<boolean>>> = {
      async env(bytes) {
        writeFileSync(path(".env"), bytes);
        return (await attempt(() => readDotenv(context, path(".env")))) !== null;
      },

      async config(bytes) {
        writeFileSync(path("config.json"), bytes, { mode: 0o600 });
        return (await attempt(() => readConfig(context))) !== null;
      },

      async locator(bytes) {
        writeFileSync(path("sandbox-default.json"), bytes, { mode: 0o600 });
        return (await attempt(() => readLocators(context))) !== null;
      },

      /** What is acknowledged is kept: every whole line that the damage did not reach, and what is appended after it. */
      async log(bytes) {
        const file = path("a.batch.jsonl");
        writeFileSync(file, bytes, { mode: 0o600 });
        const log = new WriteLog(file, context, { name: "the log", hint: "none" });
        const before = await log.read();
        for (const event of APPENDED) await log.append(event);
        const after = await log.read();
        const lines = new Set(bytes.toString("latin1").split("\n").slice(0, -1));
        const isWhole = (event: WriteEvent) =>
          lines.has(Buffer.from(JSON.stringify(event)).toString("latin1"));
        for (const event of EVENTS.filter(isWhole))
          requireThat(
            before.some((each) => isDeepStrictEqual(each, event)),
            () => `lost: ${JSON.stringify(event)}`,
          );
        requireThat(
          isDeepStrictEqual(after.slice(0, before.length), before),
          () => "an append changed earlier events",
        );
        requireThat(
          isDeepStrictEqual(after.slice(-2), APPENDED),
          () => `not appended: ${readFileSync(file, "latin1")}`,
        );
        const record = toWriteRecords(after).find(({ key }) => key === "key-9");
        requireThat(
          record?.jobId === "job-9",
          () => `the record of what was appended: ${JSON.stringify(record)}`,
        );
        return before.length === EVENTS.length;
      },
    };

    return {
      async check({ files }) {
        let accepted = 0;
        for (const { kind, damage } of files) {
          const content = damage.reduce(applyDamage, Buffer.from(CONTENTS[kind]));
          if (await checks[kind](content)) accepted += 1;
        }
        return { inputs: files.length, responses: files.length, accepted };
      },
      async close() {
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
});
