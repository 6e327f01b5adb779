import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it, type TestContext } from "vitest";
import { bareEnvironment, runCli, SHELL_COMMAND, temporaryFolder } from "../support/cli.ts";
import { skipWithoutUnshare, UNSHARE } from "../support/namespaces.ts";
import { spawnSandboxThrough, startSandboxUp } from "../support/sandbox.ts";
import { bearer } from "../support/sandbox-requests.ts";

/** Ends whatever is left of the command after it. */
const [UNSHARE_NET = "", ...UNSHARE_NET_ARGS] = [...UNSHARE, "--net"];

/** A network namespace whose loopback has only ::1. */
const IPV6_ALONE =
  "ip link set lo up && ip addr del 127.0.0.1/8 dev lo && ip -6 addr show dev lo | grep -q ::1";

function skipWithoutIpv6Alone({ skip }: TestContext): void {
  const { status } = spawnSync(UNSHARE_NET, [...UNSHARE_NET_ARGS, "sh", "-c", IPV6_ALONE]);
  skip(status !== 0, "IPv6 alone is NOT tested: needs Linux, unshare(1), ip(8) and the right to use them");
}

it("a machine with IPv6 alone has a sandbox on ::1, which says so and delivers to itself", {
  tags: "large",
}, async (test) => {
  skipWithoutIpv6Alone(test);
  const claims = SHELL_COMMAND;
  const script = [
    IPV6_ALONE,
    `${claims} sandbox up --port 0 --detach`,
    `${claims} clients list -q > /dev/null`,
    `${claims} sandbox emit partner.test -q > /dev/null`,
    `${claims} sandbox wait --event partner.test --status delivered --timeout 60s -q > /dev/null`,
    `${claims} sandbox down -q`,
  ].join(" && ");
  const env = bareEnvironment();
  const { status, stdout, stderr } = spawnSync(UNSHARE_NET, [...UNSHARE_NET_ARGS, "sh", "-c", script], {
    env,
  });
  expect(status, `${stderr}`).toBe(0);
  expect(`${stdout}`).toMatch(/Sandbox ready at http:\/\/\[::1\]:\d+ /);
});

it("a sandbox as PID 1 ends with SIGTERM, although requests and a delivery are waiting, and keeps its state", {
  tags: "large",
}, async (test) => {
  skipWithoutUnshare(test);
  const env = bareEnvironment();
  const state = join(temporaryFolder(), "sandbox.state");
  const { child, completion, ready } = await spawnSandboxThrough(UNSHARE, env, "--state", state);
  expect(ready.pid).toBe(1);
  const claims = async (...args: string[]) => expect((await runCli(args, { env })).code).toBe(0);
  await claims("clients", "create", "--name", "Kept, Inc.", "--importer-number", "98-7654321");
  const sink = `${ready.url}/_sandbox/sink/slow?delay=60s`;
  const secret = join(temporaryFolder(), "s");
  await claims("webhooks", "create", sink, "--event", "partner.test", "--secret-file", secret);
  await claims("sandbox", "emit", "partner.test");
  await claims("sandbox", "faults", "add", "--method", "GET", "--hang");
  const waiting = fetch(`${ready.url}/v1/clients`, { headers: bearer(ready.credentials.sandbox.apiKey) });
  const requests = () => runCli(["sandbox", "faults", "list", "--json"], { env });
  await expect.poll(async () => (await requests()).stdout).toContain('"applied":1');
  const [pid = ""] = `${spawnSync("pgrep", ["-P", String(child.pid)]).stdout}`.split("\n");
  process.kill(Number(pid), "SIGTERM");
  await expect(waiting).rejects.toThrow("fetch failed");
  expect(await completion).toMatchObject({ code: 0, signal: null });
  const next = await startSandboxUp(env, "--state", state);
  const { stdout } = await runCli(["clients", "list"], { env });
  expect(stdout).toContain("Kept, Inc.");
  next.stop("SIGTERM");
  expect((await next.completion).code).toBe(0);
});
