import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  bareEnvironment,
  errorOf,
  fixture,
  runCli,
  startCli,
  temporaryFolder,
  useFastClock,
} from "../support/cli.ts";
import { itEachFirst } from "../support/large.ts";
import { findFreePort } from "../support/listen.ts";
import { startReceiver } from "../support/receiver.ts";
import { startSandboxUp, submitArgs } from "../support/sandbox.ts";

useFastClock();

/** A sandbox with functions that run commands, and everything that can happen to it while they run. */
async function setUp(...options: string[]) {
  const env = bareEnvironment();
  const cwd = temporaryFolder();
  const run = (...args: string[]) => runCli(args, { env, cwd });
  const runJson = async (...args: string[]) => {
    const result = await run(...args, "--json");
    expect(result, result.stderr).toMatchObject({ code: 0 });
    return JSON.parse(result.stdout);
  };
  // While the sandbox is down, no other test may get its port.
  const port = String(await findFreePort());
  const up = () => startSandboxUp(env, "--port", port, ...options);
  let sandbox = await up();
  const { url } = sandbox.ready;
  const down = async () => {
    sandbox.stop("SIGTERM");
    await sandbox.completion;
  };
  const restart = async () => {
    sandbox = await up();
  };
  /** The state before the command under test is kept as `before`. */
  const happen = {
    reset: () => runJson("sandbox", "reset"),
    "a snapshot load": () => runJson("sandbox", "snapshot", "load", "before"),
    "a restart on the port": async () => {
      await down();
      await restart();
    },
    "the sandbox is down": down,
  } as const;
  await runJson("sandbox", "snapshot", "save", "before");
  const endpoints = async (): Promise<{ id: string; label: string; status: string; url: string }[]> =>
    (await runJson("webhooks", "list")).data;
  const start = (...args: string[]) => startCli(args, { env, cwd });
  return { cwd, endpoints, env, happen, run, runJson, start, up: restart, url };
}

/** A listener that registers, and its deliveries so far. */
async function startListener(sandbox: Awaited<ReturnType<typeof setUp>>, ...args: string[]) {
  const listener = sandbox.start("webhooks", "listen", "--register", "--json", ...args);
  const [line] = await listener.waitForOutput(/^\{"event":"ready".*\}$/m);
  return { ...listener, ready: JSON.parse(line) as { endpointId: string; url: string } };
}

describe("webhooks listen --register", () => {
  itEachFirst([["reset"], ["a snapshot load"], ["a restart on the port"]])(
    "registers again after %s, says so, and verifies the next delivery",
    async (happening) => {
      const sandbox = await setUp();
      const listener = await startListener(sandbox, "--port", "0", "--count", "1", "--timeout", "10m");
      await sandbox.happen[happening]();
      await listener.waitForOutput(
        /registered again as endpoint .*: the state of the sandbox has changed/,
        "stderr",
      );
      await sandbox.runJson("webhooks", "test", "partner.test");
      expect(await listener.completion).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('"verdict":"valid"'),
      });
      const own = (await sandbox.endpoints()).filter(({ url }) => url === listener.ready.url);
      expect(own.map(({ status }) => status)).toEqual(["revoked"]);
    },
  );

  itEachFirst([["disabled"], ["revoked"]])(
    "says at once that its endpoint was %s, and at the end",
    async (status) => {
      const sandbox = await setUp();
      const listener = await startListener(sandbox, "--port", "0", "--count", "1", "--timeout", "40s");
      const { endpointId } = listener.ready;
      await setStatus(sandbox, endpointId, status);
      await listener.waitForOutput(
        /warning.*no longer registered: endpoint .* is (disabled|revoked)/,
        "stderr",
      );
      const result = await listener.completion;
      expect(result.code).toBe(8);
      expect(errorOf(result).message).toBe(
        `0 deliveries arrived in time; expected 1; this listener is no longer registered: endpoint ${endpointId} is ${status}`,
      );
    },
  );

  it("says when its endpoint is active again", async () => {
    const sandbox = await setUp();
    const listener = await startListener(sandbox, "--port", "0", "--count", "1");
    await setStatus(sandbox, listener.ready.endpointId, "disabled");
    await listener.waitForOutput(/no longer registered/, "stderr");
    await setStatus(sandbox, listener.ready.endpointId, "active");
    await listener.waitForOutput(/is active again/, "stderr");
    await sandbox.runJson("webhooks", "test", "partner.test");
    expect(await listener.completion).toMatchObject({ code: 0 });
  });

  it("says at once that the sandbox is down, and registers with the next one", async () => {
    const sandbox = await setUp();
    const listener = await startListener(sandbox, "--port", "0", "--count", "1");
    await sandbox.happen["the sandbox is down"]();
    await listener.waitForOutput(
      /warning.*no longer registered: the sandbox at .* does not respond/,
      "stderr",
    );
    await sandbox.up();
    await listener.waitForOutput(/registered again/, "stderr");
    await sandbox.runJson("webhooks", "test", "partner.test");
    const { code, stderr } = await listener.completion;
    expect([code, stderr.match(/no longer registered/g)?.length]).toEqual([0, 1]);
  });

  itEachFirst([["reset"], ["a snapshot load"]])(
    "leaves an endpoint alone that got its id after %s",
    async (happening) => {
      const sandbox = await setUp();
      const listener = await startListener(sandbox, "--port", "0");
      await sandbox.happen[happening]();
      const create = ["webhooks", "create", "http://127.0.0.1:3999/mine", "--label", "mine"];
      const created = await sandbox.runJson(...create);
      listener.stop("SIGINT");
      expect(await listener.completion).toMatchObject({ code: 0 });
      const mine = (await sandbox.endpoints()).find(({ id }) => id === created.id);
      expect(mine).toMatchObject({ label: "mine", status: "active" });
    },
  );

  it("registers only for the events of --event", async () => {
    const sandbox = await setUp();
    const events = ["--event", "partner.test", "--event", "partner.test"];
    const listener = await startListener(sandbox, "--port", "0", ...events);
    expect((await sandbox.endpoints()).find(({ id }) => id === listener.ready.endpointId)).toMatchObject({
      subscribedEvents: ["partner.test"],
    });
    listener.stop("SIGINT");
    await listener.completion;
    const other = await sandbox.run("webhooks", "listen", "--port", "0", "--event", "partner.test", "--json");
    expect(errorOf(other)).toMatchObject({ code: "option_conflict", exitCode: 2 });
  });

  it("names the command for an app that verifies", async () => {
    const sandbox = await setUp();
    const listener = await startListener(sandbox, "--port", "0", "--forward-to", "http://127.0.0.1:9/hook");
    await listener.waitForOutput(
      /cannot verify.*claims webhooks listen --register --secret-file whsec.txt --forward-to http:\/\/127.0.0.1:9\/hook/,
      "stderr",
    );
  });
});

const setStatus = async (
  { happen: _, ...sandbox }: Awaited<ReturnType<typeof setUp>>,
  id: string,
  status: string,
) => {
  const variables = await sandbox.runJson("sandbox", "env");
  const response = await fetch(`${variables.CLAIMS_CONTROL_URL}/endpoints/${id}/status`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${variables.CLAIMS_CONTROL_TOKEN}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ status }),
  });
  expect(response.status).toBe(200);
};

describe("webhooks listen --register --secret-file", () => {
  async function setUpKept() {
    const sandbox = await setUp();
    const port = String(await findFreePort());
    const file = join(sandbox.cwd, "whsec.txt");
    const args = ["--port", port, "--secret-file", "whsec.txt"];
    const listen = (...more: string[]) => startListener(sandbox, ...args, ...more);
    const status = async () =>
      (await sandbox.endpoints()).filter(({ url }) => new URL(url).port === port).map((each) => each.status);
    return { ...sandbox, args, file, listen, port, status };
  }

  it.each(["absent", "empty"])(
    "writes the secret of the endpoint to an %s file, and keeps both",
    async (kind) => {
      const { file, listen, runJson, status } = await setUpKept();
      if (kind === "empty") writeFileSync(file, "");
      const first = await listen();
      const secret = readFileSync(file, "utf8");
      expect(secret).toMatch(/^whsec_[\w-]{43}$/);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      first.stop("SIGINT");
      expect(await first.completion).toMatchObject({ code: 0 });
      expect(await status()).toEqual(["disabled"]);
      const second = await listen("--count", "1");
      expect(await status()).toEqual(["active"]);
      expect(second.ready.endpointId).toBe(first.ready.endpointId);
      expect(readFileSync(file, "utf8")).toBe(secret);
      await runJson("webhooks", "test", "partner.test");
      expect(await second.completion).toMatchObject({ code: 0 });
    },
  );

  it("verifies for an app with the secret that `create` wrote, and leaves that endpoint active", async () => {
    const { file, listen, port, run, runJson, status } = await setUpKept();
    const app = await startReceiver();
    await run("webhooks", "create", `http://localhost:${port}/hook`, "--secret-file", file, "-q");
    const listener = await listen("--forward-to", app.url, "--count", "1");
    await listener.waitForOutput(/verifies with the secret in whsec.txt/, "stderr");
    await runJson("webhooks", "test", "partner.test");
    expect(await listener.completion).toMatchObject({ code: 0 });
    expect(app.requests).toHaveLength(1);
    expect(await status()).toEqual(["active"]);
  });

  it("refuses a secret that no endpoint at its URL has, and leaves the file alone", async () => {
    const { args, file, run, status } = await setUpKept();
    writeFileSync(file, "whsec_of_another_endpoint", { mode: 0o600 });
    const result = await run("webhooks", "listen", "--register", ...args, "--json");
    expect(errorOf(result)).toMatchObject({ code: "secret_mismatch", exitCode: 2 });
    expect(readFileSync(file, "utf8")).toBe("whsec_of_another_endpoint");
    expect(await status()).toEqual([]);
  });

  it("refuses an endpoint that gets other events than --event names", async () => {
    const { args, file, run, port } = await setUpKept();
    await run("webhooks", "create", `http://127.0.0.1:${port}`, "--secret-file", file, "-q");
    const listen = ["webhooks", "listen", "--register", ...args, "--event", "partner.test"];
    const result = await run(...listen, "--json");
    expect(errorOf(result)).toMatchObject({ code: "option_conflict", exitCode: 2 });
  });

  itEachFirst([
    ["--secret-file", "-"],
    ["--secret-file", "other.txt"],
    ["--port", "0"],
  ])("refuses %s %s before it registers", async (option, value) => {
    const { args, cwd, endpoints, run } = await setUpKept();
    const words =
      option === "--port" ? ["--secret-file", "whsec.txt", "--port", "0"] : [...args, option, value];
    const before = (await endpoints()).length;
    const result = await run("webhooks", "listen", "--register", ...words, "--json");
    expect(errorOf(result)).toMatchObject({ code: "option_conflict", exitCode: 2 });
    expect(await endpoints()).toHaveLength(before);
    expect(existsSync(join(cwd, "whsec.txt"))).toBe(false);
  });

  it("removes the file that it reserved if it cannot register", async () => {
    const { args, file, happen, run } = await setUpKept();
    await happen["the sandbox is down"]();
    expect((await run("webhooks", "listen", "--register", ...args)).code).not.toBe(0);
    expect(existsSync(file)).toBe(false);
  });

  it("registers again with the same secret after a reset", async () => {
    const { file, happen, listen, runJson, status } = await setUpKept();
    const listener = await listen("--count", "1");
    const secret = readFileSync(file, "utf8");
    await happen.reset();
    await listener.waitForOutput(/registered again as endpoint/, "stderr");
    await runJson("webhooks", "test", "partner.test");
    expect(await listener.completion).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toBe(secret);
    expect(await status()).toEqual(["disabled"]);
  });

  it("says that the secret is not in use any more, if another endpoint of a loaded state has it", async () => {
    const { file, happen, listen, run, runJson, status } = await setUpKept();
    await run("webhooks", "create", "http://127.0.0.1:3999/mine", "--secret-file", "mine.txt", "-q");
    await runJson("sandbox", "snapshot", "save", "before");
    await happen.reset();
    const listener = await listen();
    const secret = readFileSync(file, "utf8");
    await happen["a snapshot load"]();
    await listener.waitForOutput(
      /no longer registered: the secret in whsec.txt is that of no endpoint at/,
      "stderr",
    );
    expect(readFileSync(file, "utf8")).toBe(secret);
    expect(await status()).toEqual(["revoked"]);
  });
});

describe("webhooks deliveries --watch", () => {
  /** A watch that has printed a delivery. */
  async function startWatch() {
    const sandbox = await setUp();
    const watch = sandbox.start("webhooks", "deliveries", "--watch", "--ndjson");
    await sandbox.runJson("webhooks", "test", "partner.test");
    await watch.waitForOutput(/"delivered"/);
    return { sandbox, watch };
  }

  itEachFirst([["reset"], ["a restart on the port"]])(
    "says after %s that the deliveries begin again",
    async (happening) => {
      const { sandbox, watch } = await startWatch();
      await sandbox.happen[happening]();
      await watch.waitForOutput(/the state of the sandbox has changed: its deliveries begin again/, "stderr");
      await sandbox.runJson("sandbox", "emit", "partner.capability.changed");
      await watch.waitForOutput(/partner.capability.changed/);
    },
  );

  it("goes on with the deliveries of a loaded snapshot", { tags: "large" }, async () => {
    const { sandbox, watch } = await startWatch();
    await sandbox.happen["a snapshot load"]();
    await sandbox.runJson("sandbox", "emit", "partner.capability.changed");
    await watch.waitForOutput(/partner.capability.changed/);
  });

  it("says at once that the sandbox is down, and when it is back", { tags: "large" }, async () => {
    const { sandbox, watch } = await startWatch();
    await sandbox.happen["the sandbox is down"]();
    await watch.waitForOutput(/waiting for the service/, "stderr");
    await sandbox.up();
    await watch.waitForOutput(/the service responds again/, "stderr");
  });
});

describe("a wait for a job", () => {
  /** A job that waits on a frozen clock. */
  async function setUpJob(...options: string[]) {
    const sandbox = await setUp("--frozen", "--job-speed", "real", ...options);
    const submit = async () =>
      (await sandbox.runJson(...submitArgs(fixture("sample_entries.csv")))).jobId as string;
    return { ...sandbox, submit };
  }
  const COMMANDS = [
    ["diligence wait", (id: string) => ["diligence", "wait", id]],
    ["sandbox wait", (id: string) => ["sandbox", "wait", "--job", id]],
  ] as const;

  itEachFirst(
    COMMANDS.flatMap(([name, args]) =>
      (["reset", "a snapshot load", "a restart on the port"] as const).map(
        (happening) => [name, happening, args] as const,
      ),
    ),
  )("of %s ends with exit code 3 after %s", async (_, happening, args) => {
    const sandbox = await setUpJob();
    const id = await sandbox.submit();
    const wait = sandbox.start(...args(id), "--json");
    await wait.waitForOutput(
      /clock of this sandbox is frozen: `claims sandbox clock advance --to next`/,
      "stderr",
    );
    await sandbox.happen[happening]();
    const result = await wait.completion;
    expect(errorOf(result)).toMatchObject({
      exitCode: 3,
      hint: expect.stringMatching(/reset.*restart.*snapshot/),
    });
  });

  it("of diligence wait ends although another job got the id", async () => {
    const sandbox = await setUpJob();
    const id = await sandbox.submit();
    const wait = sandbox.start("diligence", "wait", id, "--json");
    await wait.waitForOutput(/is frozen/, "stderr");
    await sandbox.happen.reset();
    expect(await sandbox.submit()).toBe(id);
    expect(errorOf(await wait.completion)).toMatchObject({ code: "state_gone", exitCode: 3 });
  });

  itEachFirst(COMMANDS)("of %s goes on after a restart with a state file", async (_, args) => {
    const sandbox = await setUpJob("--state", join(temporaryFolder(), "state.json"));
    const id = await sandbox.submit();
    const wait = sandbox.start(...args(id), "--json");
    await wait.waitForOutput(/is frozen/, "stderr");
    await sandbox.happen["a restart on the port"]();
    await sandbox.run("sandbox", "clock", "advance", "--to", "idle");
    expect(await wait.completion).toMatchObject({ code: 0 });
  });

  it("of diligence wait takes a timeout that is longer than the timers of Node", async () => {
    const sandbox = await setUpJob();
    const wait = sandbox.start("diligence", "wait", await sandbox.submit(), "--timeout", "200d");
    await wait.waitForOutput(/is frozen/, "stderr");
    await sandbox.run("sandbox", "clock", "advance", "--to", "idle");
    expect(await wait.completion).toMatchObject({ code: 0 });
  });

  it("prints nothing about the clock for a job that has ended", async () => {
    const sandbox = await setUpJob();
    const id = await sandbox.submit();
    await sandbox.run("sandbox", "clock", "advance", "--to", "idle");
    const { code, stderr } = await sandbox.run("diligence", "wait", id);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("frozen")]);
  });
});
