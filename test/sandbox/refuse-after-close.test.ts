import { expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../sandbox/index.ts";

/** Uses every member of the sandbox, and returns what each does: its value, or the code of its error and how it comes. */
async function useMembers(owner: object, path = ""): Promise<[name: string, outcome: unknown][]> {
  const outcomes: [string, unknown][] = [];
  for (const name of Object.keys(owner)) {
    const outcome = await useMember(() => owner[name as never] as unknown);
    if (typeof outcome === "object" && outcome !== null && !Array.isArray(outcome))
      outcomes.push(...(await useMembers(outcome, `${path}${name}.`)));
    else outcomes.push([path + name, outcome]);
  }
  return outcomes;
}

async function useMember(read: () => unknown): Promise<unknown> {
  let result: unknown;
  try {
    const value = read();
    result = typeof value === "function" ? value() : value;
  } catch (error) {
    return `throws ${(error as { code: string }).code}`;
  }
  return result instanceof Promise
    ? result.then(
        () => "resolves",
        ({ code }) => `rejects with ${code}`,
      )
    : result;
}

it("every member of a closed sandbox is sandbox_closed", async () => {
  const sandbox = await startSandbox();
  const { url, port, controlToken, grease } = sandbox;
  await sandbox.close();
  const members = await useMembers(sandbox);
  const others = members.filter(
    ([, outcome]) => !/^(throws|rejects with) sandbox_closed$/.test(`${outcome}`),
  );
  expect(Object.fromEntries(others)).toEqual({
    url,
    port,
    controlToken,
    close: "resolves",
    mapping: null,
    "grease.variants": grease.variants,
  });
  expect(members.length).toBeGreaterThan(40);
  const throwing = members.filter(([, outcome]) => `${outcome}`.startsWith("throws"));
  expect(throwing.map(([name]) => name)).toEqual([
    "instanceId",
    "credentials",
    "clock.now",
    "clock.freeze",
    "clock.unfreeze",
    "clock.frozen",
    "clock.agenda",
    "snapshots.revision",
    "snapshots.list",
    "snapshots.remove",
    "faults.add",
    "faults.list",
    "faults.clear",
    "activity",
    "grease.applied",
    "mark",
  ]);
});

it("a sandbox refuses from the call of close() on", async () => {
  const sandbox: Sandbox = await startSandbox();
  const closing = sandbox.close();
  expect(() => sandbox.clock.now()).toThrow("the sandbox is closed");
  await expect(sandbox.webhooks.emit({ type: "partner.test" })).rejects.toMatchObject({
    code: "sandbox_closed",
    hint: "start another one",
  });
  await closing;
});
