import { execFileSync } from "node:child_process";
import { parseEnv } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  isSafeInEnvFile,
  setVariable,
} from "../../../../../../../src/cli/commands/webhooks/create/env-file.ts";

/** A word of visible ASCII that is safe in a .env file. */
const secrets = fc
  .string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 1,
  })
  .filter(isSafeInEnvFile);

it("setVariable changes only the named variable, for any value of visible ASCII", () => {
  const text = "# mine\nPORT=3000\nLAST='x'";
  fc.assert(
    fc.property(secrets, (value) => {
      expect(parseEnv(setVariable(text, "S", value))).toEqual({ PORT: "3000", LAST: "x", S: value });
    }),
  );
});

it("setVariable writes values that a shell reads unchanged and does not execute", () => {
  const values = ["$(echo run)", "`echo run`", "$HOME", '"', "#", "!!", "~", ...fc.sample(secrets, 200)];
  const text = values.reduce((before, value, at) => setVariable(before, `S${at}`, value), "");
  const names = values.map((_, at) => `"$S${at}"`).join(" ");
  const printed = execFileSync("bash", ["-c", `${text}\nprintf '%s\\n' ${names}`], { encoding: "utf8" });
  expect(printed.trimEnd().split("\n")).toEqual(values);
});
