import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Sandbox, SandboxOptions } from "../../../sandbox/index.ts";
import { ROOT } from "../../support/cli.ts";

/** Every name of a type, and no other: the compiler holds the lists below against the types. */
type NamesOf<T> = Readonly<Record<Extract<keyof T, string>, true>>;

const OPTIONS: NamesOf<SandboxOptions> = {
  ...{ port: true, host: true, seed: true, frozenAt: true, jobSpeed: true, maxUploadBytes: true },
  ...{ grease: true, rateLimit: true, webhookRetries: true, webhookTimeoutMs: true },
  ...{ allowPublicWebhooks: true, snapshot: true, requestLogSize: true, now: true, tempDir: true },
  ...{ onShutdownRequested: true, onError: true },
};

type Group = "credentials" | "clock" | "faults" | "webhooks" | "requests" | "snapshots" | "grease";

const GROUPS: { readonly [Name in Group]: NamesOf<Sandbox[Name]> } = {
  credentials: { sandbox: true, production: true, otherPartner: true, webhook: true, unapproved: true },
  clock: {
    ...{ now: true, advance: true, set: true, freeze: true, unfreeze: true, frozen: true, agenda: true },
  },
  faults: { add: true, list: true, clear: true },
  webhooks: {
    ...{ emit: true, endpoints: true, setStatus: true, deliveries: true, delivery: true, resend: true },
    ...{ sink: true },
  },
  requests: { list: true, get: true, replay: true, har: true, clear: true },
  snapshots: { save: true, load: true, list: true, diff: true, remove: true, export: true, import: true },
  grease: { variants: true, applied: true },
};

const OTHERS: NamesOf<Omit<Sandbox, Group>> = {
  ...{ url: true, port: true, controlToken: true, reset: true, idle: true, debug: true, close: true },
  ...{ waitFor: true },
};

const chapter = readFileSync(join(ROOT, "README.md"), "utf8")
  .split(/^(?=## )/m)
  .find((text) => text.startsWith("## The sandbox in your suite"));

/** The rows of the table whose first column has that head: what each first cell names, and the second cell. */
function rowsOf(head: string): Map<string, string> {
  const [, table = ""] = chapter?.split(`| ${head} | |\n|---|---|\n`) ?? [];
  const [rows = ""] = table.split("\n\n");
  return new Map(
    [...rows.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name = "", text = ""]) => [name, text]),
  );
}

it("the README lists every option of startSandbox()", () => {
  expect([...rowsOf("option").keys()].sort()).toEqual(Object.keys(OPTIONS).sort());
});

it("the README lists every member of the handle", () => {
  const rows = rowsOf("member");
  expect([...rows.keys()].sort()).toEqual([...Object.keys(GROUPS), ...Object.keys(OTHERS)].sort());
  for (const [group, names] of Object.entries(GROUPS)) {
    const documentedNames = [...(rows.get(group) ?? "").matchAll(/`(\w+)(?:\([^`]*\))?`/g)].map(
      ([, name]) => name,
    );
    expect([...new Set(documentedNames)].sort(), group).toEqual(Object.keys(names).sort());
  }
});
