import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import fc, { type Arbitrary } from "fast-check";
import { decompress } from "../../../src/cli/commands/webhooks/input-formats/containers.ts";
import { LogVerification } from "../../../src/cli/commands/webhooks/triage/log-verification.ts";
import { readDeliveries, skipNothing } from "../../../src/cli/commands/webhooks/triage/read-files.ts";
import { ClaimsError } from "../../../src/domain/errors.ts";
import { headerValues } from "../../../src/domain/http-headers.ts";
import type { FoundDelivery } from "../../../src/domain/webhooks/input-formats/read-document.ts";
import { Triage } from "../../../src/domain/webhooks/triage.ts";
import { createFuzzContext } from "../cli.ts";
import { defineTarget, requireThat } from "../target.ts";
import { applyChanges, type Change, changeOf, JSON_DELIMITERS, mostly } from "../text.ts";

interface Input {
  /** A number of a log, modulo their count. */
  readonly log: number;
  /** The first line to keep, modulo the number of lines. */
  readonly from: number;
  readonly changes: readonly Change[];
}

const DELIMITERS = [...JSON_DELIMITERS, "\\n", "=", "\t", "%", "\xff"];

const input: Arbitrary<Input> = fc.record({
  log: fc.nat(1_000),
  from: mostly(fc.constant(0), fc.nat(10_000), 2),
  changes: fc.array(changeOf(DELIMITERS), { maxLength: 4 }),
});

/** Of a log: one or two deliveries. Whole ones have hundreds. */
const MAX_BYTES = 2 * 1024;

const FOLDER = resolve("fixtures/support/logs");

interface Log {
  readonly content: string;
  readonly secrets: readonly string[];
}

/** The logs of other programs as text of single bytes; archives stay as they are. */
function readLogs(): readonly Log[] {
  const expected = JSON.parse(readFileSync(join(FOLDER, "expected.json"), "utf8")) as readonly {
    readonly file: string;
    readonly secrets: readonly string[];
  }[];
  const secrets = new Map(expected.map((each) => [each.file, each.secrets]));
  return readdirSync(FOLDER).flatMap((name) => {
    const known = secrets.get(name);
    if (!known) return [];
    const bytes = readFileSync(join(FOLDER, name));
    const content = (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("latin1");
    return [{ content, secrets: known }];
  });
}

function cutOut({ content }: Log, from: number): string {
  const lines = content.split("\n");
  return lines
    .slice(from % lines.length)
    .join("\n")
    .slice(0, MAX_BYTES);
}

/** Whether a second implementation verifies the body, or what the log has in its place. */
function isSigned(delivery: FoundDelivery, secrets: readonly string[]): boolean {
  const [timestamp] = headerValues(delivery.headers, "x-service-timestamp");
  const [signature] = headerValues(delivery.headers, "x-service-signature");
  const { body: first, written, otherBodies } = delivery;
  return [first, written, ...otherBodies.map(({ bytes }) => bytes)].some(
    (body) =>
      body &&
      secrets.some(
        (secret) =>
          createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex") === signature,
      ),
  );
}

/** 9. Logs of other programs, damaged and cut, through `webhooks triage`. */
export const logs = defineTarget<Input>({
  name: "logs",
  arbitrary: input,
  async open() {
    const folder = mkdtempSync(join(tmpdir(), "claims-fuzz-logs-"));
    const { context } = createFuzzContext(folder, {});
    const path = join(folder, "log");
    const all = readLogs();
    return {
      async check({ log, from, changes }) {
        const chosen = all[log % all.length] as Log;
        writeFileSync(path, Buffer.from(applyChanges(cutOut(chosen, from), changes), "latin1"));
        const found = new Map<string, FoundDelivery>();
        async function* remember() {
          for await (const each of readDeliveries(context, [path], {}, skipNothing())) {
            found.set(each.source, each);
            yield each;
          }
        }
        const triage = new Triage();
        let valid = 0;
        try {
          const verification = new LogVerification({ secrets: chosen.secrets, decompress });
          for await (const triaged of verification.verifyAll(remember())) {
            triage.add(triaged);
            if (triaged.verdict !== "valid") continue;
            valid += 1;
            const delivery = found.get(triaged.source);
            requireThat(
              delivery !== undefined && isSigned(delivery, chosen.secrets),
              () => `${triaged.source} is called valid`,
            );
          }
        } catch (error) {
          if (!(error instanceof ClaimsError)) throw error;
        }
        requireThat(triage.report().valid === valid, () => "the report counts other deliveries");
        return { inputs: 1, responses: found.size, accepted: valid };
      },
      async close() {
        rmSync(folder, { recursive: true });
      },
    };
  },
});
