import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { explain } from "../../../../../../src/signature.ts";
import { fixture } from "../../../../../support/cli.ts";
import { IS_EXHAUSTIVE } from "../../../../../support/exhaustive.ts";
import { hasProgram } from "../../../../../support/shells.ts";
import { GENUINE, signAs, toInput } from "./delivery.ts";
import { LANGUAGE_PRINTS, PRINTED_BODY } from "./language-prints.ts";

const recordingOf = (program: string): string => fixture(`language-prints/${program}.json`);

describe.each([...new Set(LANGUAGE_PRINTS.map(({ program }) => program))])("the prints of %s", (program) => {
  const prints = LANGUAGE_PRINTS.filter((each) => each.program === program);

  // With --update, this records them.
  it.runIf(IS_EXHAUSTIVE && hasProgram(program))("are recorded as it prints them here", async () => {
    const printed = prints.map(({ name, args }) => {
      const { stdout, stderr, status } = spawnSync(program, args, { input: PRINTED_BODY });
      expect(status, stderr.toString()).toBe(0);
      return [name, stdout.toString("latin1")];
    });
    const recording = `${JSON.stringify(Object.fromEntries(printed), null, 2)}\n`;
    await expect(recording).toMatchFileSnapshot(recordingOf(program));
  });

  it.each(prints.map((each) => [each.name, each] as const))(
    "%s: is explained by its cause alone",
    (name, each) => {
      const recording: Record<string, string> = JSON.parse(readFileSync(recordingOf(program), "utf8"));
      const printed = Buffer.from(recording[name] ?? "", "latin1");
      const isSigned = each.who === "sender";
      const delivery = {
        ...GENUINE,
        signature: signAs({ body: isSigned ? printed : PRINTED_BODY }),
        body: isSigned ? Buffer.from(PRINTED_BODY) : printed,
        headers: each.hasLength ? [["Content-Length", String(Buffer.byteLength(PRINTED_BODY))] as const] : [],
      };
      const { causes } = explain(toInput(delivery));
      expect(causes.map(({ id, certainty }) => `${id} ${certainty}`)).toEqual([
        `${each.cause} ${each.certainty}`,
      ]);
    },
  );
});
