import { describe, expect, it } from "vitest";
import { listCaseIds } from "../../src/domain/webhooks/probe/cases.ts";
import { sign } from "../../src/signature.ts";
import { errorOf } from "../support/cli.ts";
import { itEachFirst } from "../support/large.ts";
import { AGES, listUnmet, setUpProbe as setUp } from "../support/probe.ts";
import { CORRECT, isGenuine } from "../support/receivers/correct.ts";
import { FAULTY } from "../support/receivers/faulty.ts";
import { FLAWED } from "../support/receivers/flawed.ts";
import { listenForDeliveries, SECRET, startReceiver } from "../support/receivers/listen.ts";
import { startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

describe("webhooks probe of a correct receiver", () => {
  it.each(Object.entries(CORRECT))("passes: %s", async (_, start) => {
    const report = await setUp().probe(await start());
    expect(listUnmet(report, "documented")).toEqual([]);
    expect(report).toMatchObject({ code: 0, verdict: "passes", diagnoses: [], stderr: "" });
    expect(report.cases.map(({ id }) => id)).toEqual(listCaseIds());
  });

  it("advises to check the age of a delivery", async () => {
    const { probe } = setUp();
    const withoutAge = await probe(await (CORRECT["node:http without a library"]?.() ?? ""));
    expect(listUnmet(withoutAge, "advice")).toEqual(AGES);
    const withAge = await probe(await (CORRECT["node:http, checking the age"]?.() ?? ""));
    expect(listUnmet(withAge, "advice")).toEqual([]);
  });
});

const RECEIVERS = [
  ...FLAWED.map(({ chooseStatus, ...row }) => ({ ...row, start: () => startReceiver(chooseStatus) })),
  ...FAULTY,
];

describe("webhooks probe of a faulty receiver", () => {
  itEachFirst(RECEIVERS.map((row) => [row.flaw, row] as const))(
    "reports exactly the fault of a receiver that %s",
    async (_, { start, diagnoses = [], code = 7 }: (typeof FAULTY)[number]) => {
      const report = await setUp().probe(await start());
      expect(report.diagnoses.map(({ id }) => id)).toEqual(diagnoses);
      expect(report.code).toBe(code);
      expect(report.code).toBe({ fails: 7, inconclusive: 6, passes: 0 }[report.verdict]);
      for (const { evidence } of report.diagnoses)
        for (const each of evidence)
          expect(report.cases.find(({ id }) => id === each.case)?.outcome ?? "accepted").toBe(each.outcome);
      const [first] = report.diagnoses;
      if (code === 7 && first) {
        const error = errorOf({ code, signal: null, stdout: "", stderr: report.stderr });
        expect(error).toMatchObject({ code: "probe_failed", hint: first.fix });
        expect(error.message).toContain(first.title);
      }
    },
  );

  it("never prints a secret that the receiver reveals", async () => {
    const leaky = FAULTY.filter(({ flaw }) => /with the (secret|correct signature)/.test(flaw));
    for (const { start } of leaky) {
      const { stdout } = await setUp().run(await start());
      expect(stdout.split("\n")[0]).toMatch(/reveals_/);
      expect(stdout).not.toContain(SECRET);
    }
    expect(leaky).toHaveLength(2);
  });

  it("prints the response to a failed case", async () => {
    const { cwd } = setUp();
    const terminal = createTerminalContext({ cwd });
    const url = await FAULTY.find(({ flaw }) => flaw === "breaks on one body")?.start();
    await terminal.run("webhooks", "probe", url ?? "", "--secret-file", "secret.txt", "--no-color", "-v");
    expect(terminal.stdout.text).toMatch(
      /^raw\.numbers: fails$[\s\S]*evidence +server error: 500, then 500, "BigInt is not supported"$/m,
    );
    expect(terminal.stderr.text).toContain("in no known pattern");
  });
});

describe("the advice of webhooks probe", () => {
  it("is omitted if the receiver rejects all genuine deliveries", async () => {
    const report = await setUp().probe(await startReceiver(() => 401));
    expect(report.code).toBe(7);
    expect(listUnmet(report, "advice")).toEqual([]);
    expect(report.cases.find(({ id }) => id === "advice.large_body")?.met).toBeNull();
  });

  it("does not change the result for rejected unknown events, large bodies and repeats", async () => {
    const deliveries = new Set<string>();
    const report = await setUp().probe(
      await startReceiver((received) => {
        if (!isGenuine(received)) return 401;
        const { id, type } = JSON.parse(received.raw.toString("utf8"));
        if (received.raw.length > 100_000) return 413;
        if (type !== "partner.test" || deliveries.has(id)) return 409;
        deliveries.add(id);
        return 200;
      }),
    );
    expect(report.code).toBe(0);
    expect(listUnmet(report, "advice")).toEqual(["advice.unknown_event", "advice.large_body", ...AGES]);
    expect(listUnmet(report, "assumed")).toEqual(["sequence.repeat"]);
  });
});

describe("webhooks probe of a receiver that does not respond", () => {
  it("exits 6 without output if nothing listens", async () => {
    const result = await setUp().run("http://127.0.0.1:9/hook", "--json");
    expect(result).toMatchObject({ code: 6, stdout: "" });
    expect(errorOf(result).message).toContain("nothing is listening there");
  });

  it("stops after three deliveries without a response", async () => {
    const { url, requests } = await startScriptedService(() => {});
    const result = await setUp().run(url, "--timeout", "500ms", "--json");
    expect(result).toMatchObject({ code: 6, stdout: "" });
    expect(errorOf(result).message).toContain("took the first 3 deliveries and did not respond");
    expect(errorOf(result).hint).toContain("express.raw()");
    expect(requests).toHaveLength(3);
  });

  it("exits 130 on Ctrl-C", async () => {
    const { url, requests } = await startScriptedService(() => {});
    const { stop, completion } = setUp().start(url);
    await expect.poll(() => requests.length).toBe(1);
    stop("SIGINT");
    expect(await completion).toMatchObject({ code: 130, stdout: "" });
  });
});

it("webhooks probe judges no rule by a receiver whose instances have different secrets", async () => {
  let count = 0;
  const url = await startReceiver((received) => {
    count += 1;
    return isGenuine(received) && count % 2 === 0 ? 200 : 401;
  });
  const report = await setUp().probe(url);
  expect(report.diagnoses.map(({ id }) => id)).toEqual(["receiver.answers_differ"]);
  expect(report.diagnoses[0]?.evidence).toHaveLength(3);
  expect(report).toMatchObject({ code: 6, verdict: "inconclusive" });
  expect(report.rules.filter(({ verdict }) => verdict !== "untouched")).toEqual([]);
});

describe("webhooks probe of a receiver that refuses everything", () => {
  it.each([
    ["the word undefined", "undefined", "receiver.hashes_fixed_text"],
    ["a parsed body in text", "[object Object]", "receiver.hashes_fixed_text"],
  ])("names the fixed text that it hashes: %s", async (_, text, id) => {
    const report = await setUp().probe(
      await startReceiver(({ headers }) => {
        const timestamp = String(headers["x-service-timestamp"] ?? "");
        const expected = sign({ secret: SECRET, timestamp, body: text });
        return headers["x-service-signature"] === expected && timestamp !== "" ? 200 : 401;
      }),
    );
    expect(report.diagnoses).toMatchObject([{ id, fix: expect.stringContaining("raw body") }]);
    expect(report.code).toBe(7);
  });

  it("says that the headers are dropped before it", async () => {
    const url = await listenForDeliveries((request, response) => {
      request.resume();
      response.writeHead(401).end("missing signature header");
    });
    expect((await setUp().probe(url)).diagnoses.map(({ id }) => id)).toEqual(["receiver.gets_no_headers"]);
  });

  it("answers in 30 lines at 80 columns, the diagnosis first", async () => {
    for (const chooseStatus of [() => 401, () => 200]) {
      const { cwd } = setUp();
      const terminal = createTerminalContext({ cwd });
      Object.assign(terminal.context.stdout, { columns: 80 });
      const url = await startReceiver(chooseStatus);
      await terminal.run("webhooks", "probe", url, "--secret-file", "secret.txt", "--no-color");
      const lines = terminal.stdout.text.trimEnd().split("\n");
      expect(lines.length, lines.join("\n")).toBeLessThanOrEqual(30);
      expect(lines[0]).toMatch(/^\u2717 The receiver /);
    }
  });

  it("shows what a receiver responds that refuses everything, and the failed rules in one line", async () => {
    const url = await listenForDeliveries((request, response) => {
      request.resume();
      response.writeHead(403).end("CSRF verification failed");
    });
    const { code, stdout } = await setUp().run(url);
    const terminal = createTerminalContext({ cwd: setUp().cwd });
    Object.assign(terminal.context.stdout, { columns: 80 });
    await terminal.run("webhooks", "probe", url, "--secret-file", "secret.txt", "--no-color");
    expect([code, stdout]).toEqual([7, expect.stringContaining("no right delivery is accepted: see above")]);
    expect(terminal.stdout.text).toContain('response    rejected: 403, then 403, "CSRF verification failed"');
    expect(terminal.stdout.text.match(/\u2717/g)).toHaveLength(2);
  });
});
