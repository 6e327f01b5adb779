import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import {
  type Config,
  configPath,
  setProfile,
  updateConfig,
} from "../../../../../src/cli/connection/config.ts";
import { createTerminalContext } from "../../../../support/terminal.ts";

const PROFILE = { baseUrl: "https://x.example", environment: "sandbox" } as const;
const KEY = { ...PROFILE, kind: "api_key", key: "sk_1" } as const;

it.each([
  ["a base URL", { ...PROFILE, baseUrl: "x" }],
  ["an environment", { ...PROFILE, environment: "staging" }],
  ["a CA file", { ...PROFILE, caFile: 1 }],
  ["a credential of an unknown kind", { ...PROFILE, credential: { ...KEY, kind: "password" } }],
  ["a credential without its key", { ...PROFILE, credential: { ...KEY, key: undefined } }],
])("updateConfig refuses %s that the file may not have, and writes nothing", async (_, profile) => {
  const { context } = createTerminalContext();
  const write = (value: object) =>
    updateConfig(context, (config) => setProfile(config, "ci", value as Config["profiles"][string]));
  await expect(write(profile)).rejects.toThrow(/would be invalid/);
  expect(existsSync(configPath(context))).toBe(false);
  await write({ ...PROFILE, credential: KEY });
  const before = readFileSync(configPath(context), "utf8");
  await expect(write(profile)).rejects.toThrow(/would be invalid/);
  expect(readFileSync(configPath(context), "utf8")).toBe(before);
});

it("updateConfig changes what conf reads of the file, and keeps what it does not know", async () => {
  const { context } = createTerminalContext();
  const path = configPath(context);
  mkdirSync(dirname(path), { recursive: true });
  const stored = { version: 1, current: "ci", profiles: { ci: PROFILE }, note: { by: "a newer program" } };
  writeFileSync(path, JSON.stringify(stored), { mode: 0o600 });
  const changed = await updateConfig(context, (config) => setProfile(config, "__proto__", PROFILE));
  expect(Object.keys(changed.profiles)).toEqual(["ci", "__proto__"]);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(JSON.parse(JSON.stringify(changed)));
  expect(changed).toMatchObject(stored);
});
