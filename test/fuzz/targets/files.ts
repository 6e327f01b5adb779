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
import { applyChanges, type Change, changeOf, JSON_DELIMITERS, mostly } from "../text.ts";

type Kind = "env" | "config" | "log" | "locator";

interface Damage {
  readonly kind: Kind;
  readonly changes: readonly Change[];
  /** A position where the file ends, modulo its length. */
  readonly cutAt: number | null;
}

interface Input {
  readonly files: readonly Damage[];
}

const DELIMITERS = [...JSON_DELIMITERS, "'", "=", "\x18", "\xff\xfe", "\r", "\0\0\0\0\0\0\0\0"];

const input: Arbitrary<Input> = fc.record({
  files: fc.array(
    fc.record({
      kind: fc.constantFrom<Kind>("env", "config", "log", "locator"),
      changes: fc.array(changeOf(DELIMITERS), { minLength: 1, maxLength: 2 }),
      cutAt: mostly(fc.constant(null), fc.nat(1 << 20), 5),
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

function damageFile({ kind, changes, cutAt }: Damage): Buffer {
  const changed = applyChanges(Buffer.from(CONTENTS[kind]).toString("latin1"), changes);
  const end = cutAt === null ? changed.length : cutAt % (changed.length + 1);
  return Buffer.from(changed.slice(0, end), "latin1");
}

/** 7. Files of the command line, damaged at any byte. */
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
        for (const damage of files) if (await checks[damage.kind](damageFile(damage))) accepted += 1;
        return { inputs: files.length, responses: files.length, accepted };
      },
      async close() {
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
});
