import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DOMParser } from "@xmldom/xmldom";
import { describe, expect, it } from "vitest";
import { getCase, listCaseIds } from "../../src/domain/webhooks/probe/cases.ts";
import { verify } from "../../src/signature.ts";
import { bareEnvironment, errorOf, runCli, startCli, temporaryFolder } from "../support/cli.ts";
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts";
import { listenOnLoopback } from "../support/listen.ts";
import { CORRECT, isGenuine } from "../support/receivers/correct.ts";
import { FAULTY, FAULTY_IN_PYTHON } from "../support/receivers/faulty.ts";
import { FLAWED } from "../support/receivers/flawed.ts";
import { listenForDeliveries, SECRET, startReceiver } from "../support/receivers/listen.ts";
import { startScriptedService } from "../support/scripted-service.ts";
import { hasProgram } from "../support/shells.ts";
import { createTerminalContext } from "../support/terminal.ts";

const AGES = ["advice.old_10_minutes", "advice.old_1_day", "advice.future_10_minutes"];

/** What a receiver gets that does not refuse everything, with one secret and without a counter. */
const SENT = listCaseIds().filter((id) => {
  const { findsCause, needsSecondSecret, countsEffects } = getCase(id);
  return !findsCause && !needsSecondSecret && !countsEffects;
});

/** Creates a folder with the secret, and returns functions that run the probe in it. */
function setUp(files: Readonly<Record<string, string>> = {}) {
  const cwd = temporaryFolder();
  for (const [name, content] of Object.entries({ "secret.txt": SECRET, ...files }))
    writeFileSync(join(cwd, name), content, { mode: 0o600 });
  const probeArgs = (url: string, more: readonly string[]) => [
    ...["webhooks", "probe", url, "--secret-file", "secret.txt"],
    ...more,
  ];
  const run = (url: string, ...more: string[]) =>
    runCli(probeArgs(url, more), { cwd, env: bareEnvironment() });
  const start = (url: string, ...more: string[]) =>
    startCli(probeArgs(url, more), { cwd, env: bareEnvironment() });
  /** Runs the probe with `--json` and returns its report and exit code. */
  const probe = async (url: string, ...more: string[]) => {
    const result = await run(url, ...more, "--json");
    expect(result.stdout, result.stderr).not.toBe("");
    return { code: result.code, stderr: result.stderr, ...(JSON.parse(result.stdout) as Report) };
  };
  return { cwd, run, start, probe };
}

interface Report {
  readonly verdict: string;
  readonly cases: {
    id: string;
    text: string;
    firstStatus: number | null;
    basis: string;
    outcome: string;
    status: number | null;
    met: boolean | null;
    durationMs: number;
  }[];
  readonly diagnoses: {
    id: string;
    title: string;
    fix: string;
    evidence: { case: string; outcome: string }[];
  }[];
  readonly counts: Readonly<Record<string, number>>;
  readonly rules: {
    id: string;
    basis: string;
    verdict: string;
    reason: string | null;
    findings: { evidence: string }[];
  }[];
  readonly unexplained: string[];
  readonly remarks: { id: string; cases: string[] }[];
}

const listUnmet = ({ cases }: Report, basis: string): string[] =>
  cases.filter((each) => each.basis === basis && each.met === false).map(({ id }) => id);

/** One of the receivers with each outcome; all in exhaustive tests. */
function sampleOf<Row extends { readonly flaw: string }>(
  rows: readonly Row[],
  outcome: (row: Row) => unknown,
): (readonly [flaw: string, row: Row])[] {
  const byOutcome = new Map(rows.map((row) => [JSON.stringify(outcome(row)), row]));
  return (IS_EXHAUSTIVE ? rows : [...byOutcome.values()]).map((row) => [row.flaw, row]);
}

describe("webhooks probe of a correct receiver", () => {
  it.each(Object.entries(CORRECT))("passes: %s", async (_, start) => {
    const report = await setUp().probe(await start());
    expect(listUnmet(report, "documented")).toEqual([]);
    expect(report).toMatchObject({ code: 0, verdict: "passes", diagnoses: [], unexplained: [], stderr: "" });
    expect(report.cases.map(({ id }) => id)).toEqual(SENT);
  });

  it("advises to check the age of a delivery", async () => {
    const { probe } = setUp();
    const withoutAge = await probe(await (CORRECT["node:http without a library"]?.() ?? ""));
    expect(listUnmet(withoutAge, "advice")).toEqual(AGES);
    const withAge = await probe(await (CORRECT["node:http, checking the age"]?.() ?? ""));
    expect(listUnmet(withAge, "advice")).toEqual([]);
  });
});

describe("webhooks probe of a flawed receiver", () => {
  it.each(sampleOf(FLAWED, ({ diagnoses }) => diagnoses))(
    "names the flaw of a receiver that %s",
    async (_, { chooseStatus, diagnoses }) => {
      const report = await setUp().probe(await startReceiver(chooseStatus));
      expect(report.diagnoses.map(({ id }) => id)).toEqual(diagnoses);
      expect(report).toMatchObject({ code: 7, verdict: "fails", unexplained: [] });
      const [first] = report.diagnoses;
      const error = errorOf({ code: 7, signal: null, stdout: "", stderr: report.stderr });
      expect(error).toMatchObject({ code: "probe_failed", hint: first?.fix });
      expect(error.message).toContain(first?.title);
      for (const { evidence } of report.diagnoses)
        for (const each of evidence)
          expect(report.cases.find(({ id }) => id === each.case)?.outcome).toBe(each.outcome);
    },
  );

  it("gives no diagnosis for an unknown flaw", async () => {
    const url = await startReceiver((received) => {
      if (!isGenuine(received)) return 401;
      return received.raw.includes("12345678901234567890") ? 422 : 200;
    });
    const report = await setUp().probe(url);
    expect(report).toMatchObject({ code: 7, diagnoses: [], unexplained: ["raw.numbers"] });
    const { stdout, stderr } = await setUp().run(url);
    expect(stdout).toContain("raw.numbers\tinterface §6, rule 3");
    expect(stderr).toContain("in no known pattern");
  });
});

const outcomeOf = ({ diagnoses, unexplained, advice, remarks }: (typeof FAULTY)[number]) => [
  diagnoses,
  unexplained,
  advice,
  remarks,
];

const hasPython = hasProgram("python3");

describe("webhooks probe of a faulty receiver", () => {
  it.each([...sampleOf(FAULTY, outcomeOf), ...(hasPython ? sampleOf(FAULTY_IN_PYTHON, () => "Python") : [])])(
    "reports exactly the fault of a receiver that %s",
    async (_, { start, diagnoses = [], unexplained = [], advice, remarks = [] }) => {
      const report = await setUp().probe(await start());
      expect(report.diagnoses.map(({ id }) => id)).toEqual(diagnoses);
      expect(report.unexplained).toEqual(unexplained);
      const isBroken = report.verdict === "fails";
      expect(isBroken).toBe(
        unexplained.length > 0 || diagnoses.some((id) => id !== "receiver.breaks_sometimes"),
      );
      expect(report.code).toBe({ fails: 7, inconclusive: 6, passes: 0 }[report.verdict]);
      if (report.verdict === "passes" || advice)
        expect(listUnmet(report, "advice").filter((id) => !AGES.includes(id))).toEqual(advice ?? []);
      const isOpen = report.verdict === "inconclusive";
      expect(report.remarks.map(({ id }) => id)).toEqual(remarks);
      expect(isOpen && !diagnoses.includes("receiver.breaks_sometimes")).toBe(false);
    },
  );

  it("reports a leaked secret first, and never prints it", async () => {
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
    await terminal.run("webhooks", "probe", url ?? "", "--secret-file", "secret.txt", "--no-color");
    expect(terminal.stdout.text).toMatch(
      /^Responses to failed cases$[\s\S]*raw\.numbers +BigInt is not supported$/m,
    );
    expect(terminal.stdout.text).toMatch(
      /^raw\.numbers: fails$[\s\S]*evidence +server error: 500, then 500$/m,
    );
  });
});

describe("webhooks probe --report", () => {
  it("writes JUnit, Markdown and JSON, where only documented rules fail", async () => {
    const { cwd, probe } = setUp();
    const url = await startReceiver(() => 200);
    const files = ["r.xml", "r.md", "r.json"].flatMap((name) => ["--report", name]);
    const { cases, rules } = await probe(url, "--only", "forged", "--only", "advice", ...files);
    const read = (name: string) => readFileSync(join(cwd, name), "utf8");
    expect(JSON.parse(read("r.json")).rules).toEqual(rules);
    const failed = cases.filter(({ basis, met }) => basis === "documented" && met === false);
    expect(failed.length).toBeGreaterThan(0);
    const tests = [
      ...new DOMParser().parseFromString(read("r.xml"), "text/xml").getElementsByTagName("testcase"),
    ];
    const failures = tests.filter((test) => test.getElementsByTagName("failure").length > 0);
    expect(failures.map((test) => test.getAttribute("name")?.split(":")[0])).toEqual(
      failed.map(({ id }) => id),
    );
    expect(read("r.md")).toContain(`| **fails** | \`${failed[0]?.id}\` |`);
  });

  it("does not go with --dry-run", async () => {
    const result = await setUp().run("http://127.0.0.1:9/hook", "--dry-run", "--json", "--report", "r.md");
    expect([result.code, errorOf(result).code]).toEqual([2, "option_conflict"]);
  });
});

describe("the advice of webhooks probe", () => {
  it("is omitted if the receiver rejects all genuine deliveries", async () => {
    const report = await setUp().probe(await startReceiver(() => 401));
    expect(report.code).toBe(7);
    expect(listUnmet(report, "advice")).toEqual([]);
    expect(report.cases.find(({ id }) => id === "advice.large_body")?.met).toBeNull();
  });

  it("does not change the result for rejections with 500 to 599", async () => {
    const report = await setUp().probe(await startReceiver((received) => (isGenuine(received) ? 200 : 500)));
    expect(report).toMatchObject({ code: 0, verdict: "passes", diagnoses: [] });
    expect(report.remarks).toMatchObject([{ id: "response.server_error" }]);
    expect(report.remarks[0]?.cases).toEqual([
      ...listCaseIds("header"),
      ...listCaseIds("forged"),
      "advice.forged_broken_json",
      "advice.uppercase",
    ]);
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
    expect(listUnmet(report, "assumed")).toEqual(["sequence.repeat", "sequence.at_once"]);
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
    expect(errorOf(result).message).toContain("to the first 3 deliveries");
    // The last one is forged: a receiver that works before it responds refuses it at once.
    expect(requests).toHaveLength(4);
  });

  it("is inconclusive if rejected deliveries get no response", async () => {
    const closing = await listenForDeliveries((request, response) => {
      request.toArray().then((chunks) => {
        const raw = Buffer.concat(chunks as Buffer[]);
        if (isGenuine({ headers: request.headers, raw })) response.end();
        else request.socket.destroy();
      });
    });
    const report = await setUp().probe(closing);
    expect(report).toMatchObject({ code: 6, verdict: "inconclusive", diagnoses: [] });
    expect(report.remarks).toMatchObject([{ id: "response.none" }]);
    expect(listUnmet(report, "documented")).toEqual([]);
  });

  it("is inconclusive if the receiver crashes during the probe", async () => {
    const crashing = createServer((request, response) => {
      request.toArray().then((chunks) => {
        const raw = Buffer.concat(chunks as Buffer[]);
        if (isGenuine({ headers: request.headers, raw })) return response.end();
        crashing.close();
        return crashing.closeAllConnections();
      });
    });
    const report = await setUp().probe(`http://${await listenOnLoopback(crashing)}/hook`);
    expect(report).toMatchObject({ code: 6, verdict: "inconclusive" });
    const outcomes = report.cases.map(({ outcome }) => outcome);
    const alive = [...listCaseIds("raw"), ...listCaseIds("timestamp")].length;
    expect(new Set(outcomes.slice(0, alive))).toEqual(new Set(["accepted"]));
    expect(new Set(outcomes.slice(alive))).toEqual(new Set(["no_response"]));
  });

  it("is inconclusive after 429", async () => {
    let count = 0;
    const report = await setUp().probe(
      await startReceiver((received) => {
        count += 1;
        return count > 20 ? 429 : isGenuine(received) ? 200 : 401;
      }),
    );
    expect(report).toMatchObject({ code: 6, verdict: "inconclusive", diagnoses: [], unexplained: [] });
    expect(report.remarks).toMatchObject([{ id: "response.rate_limited" }]);
  });

  it("treats a truncated response as no response", async () => {
    const { url } = await startScriptedService((_, response) => {
      response.writeHead(200, { "content-length": "10" });
      response.write("half");
    });
    const result = await setUp().run(url, "--only", "raw.compact", "--timeout", "50ms", "--json");
    expect(result.code).toBe(7);
    expect(JSON.parse(result.stdout).cases).toMatchObject([
      { outcome: "no_response", status: null, met: false },
    ]);
  });

  it("exits 130 on Ctrl-C", async () => {
    const { url, requests } = await startScriptedService(() => {});
    const { stop, completion } = setUp().start(url);
    await expect.poll(() => requests.length).toBe(1);
    stop("SIGINT");
    expect(await completion).toMatchObject({ code: 130, stdout: "" });
  });
});

describe("the deliveries of webhooks probe", () => {
  it("have the documented headers, fresh timestamps and new ids, and go only to the receiver", async () => {
    const deliveries: { raw: string[]; body: string; url: string | undefined }[] = [];
    const redirectTarget = await startScriptedService((_, response) => response.end());
    const url = await listenForDeliveries((request, response) => {
      request.toArray().then((chunks) => {
        deliveries.push({
          raw: request.rawHeaders,
          body: Buffer.concat(chunks as Buffer[]).toString(),
          url: request.url,
        });
        response.writeHead(307, { location: `${redirectTarget.url}/hook` }).end("x".repeat(1_000_000));
      });
    });
    const { cwd, probe } = setUp({ "headers.txt": "Authorization: Bearer made-up-token\nX-Also: 1\n" });
    expect(cwd).not.toBe("");
    await probe(
      `${url}?tenant=7#part`,
      "--header",
      "X-Tenant: 7",
      "--header",
      "@headers.txt",
      "--event",
      "partner.x",
    );
    expect(redirectTarget.requests).toEqual([]);
    const [{ raw, body, url: path } = { raw: [], body: "", url: "" }] = deliveries;
    expect(path).toBe("/hook?tenant=7");
    const names = raw.filter((_, index) => index % 2 === 0);
    for (const name of [
      "X-Service-Event",
      "X-Service-Timestamp",
      "X-Service-Signature",
      "X-Tenant",
      "X-Also",
    ])
      expect(names).toContain(name);
    expect(raw[raw.indexOf("Authorization") + 1]).toBe("Bearer made-up-token");
    expect(JSON.parse(body)).toMatchObject({ type: "partner.x", environment: "sandbox" });
    const ids = deliveries.map((each) => /"id":"([^"]+)"/.exec(each.body)?.[1]);
    expect(new Set(ids).size).toBeGreaterThan(SENT.length / 2);
    const [timestamp] = raw.slice(raw.indexOf("X-Service-Timestamp") + 1);
    expect(Math.abs(Number(timestamp) * 1000 - Date.now())).toBeLessThan(60_000);
  });

  it("are signed with the secret of the profile", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "secret.txt"), SECRET, { mode: 0o600 });
    const env = bareEnvironment();
    const set = ["profiles", "set", "mine", "--base-url", "http://127.0.0.1:9"];
    expect((await runCli([...set, "--webhook-secret-file", "secret.txt"], { cwd, env })).code).toBe(0);
    const url = await (CORRECT["node:http without a library"]?.() ?? "");
    const probeArgs = ["webhooks", "probe", url, "--profile", "mine", "--only", "raw.compact", "-q"];
    expect(await runCli(probeArgs, { cwd, env })).toMatchObject({ code: 0, stdout: "passes\n" });
  });

  it("are the selected cases, in the order of the table", async () => {
    const { probe } = setUp();
    const url = await startReceiver(() => 200);
    const { cases } = await probe(url, "--only", "forged.no_dot", "--only", "header", "--only", "raw.crlf");
    expect(cases.map(({ id }) => id)).toEqual([
      "raw.compact",
      "raw.crlf",
      ...listCaseIds("header"),
      "forged.no_dot",
    ]);
  });

  it("are listed and not sent with --dry-run, which needs no secret", async () => {
    const { url, requests } = await startScriptedService((_, response) => response.end());
    const { code, stdout } = await runCli(["webhooks", "probe", url, "--dry-run", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).cases.map(({ id }: { id: string }) => id)).toEqual(listCaseIds());
    expect(requests).toEqual([]);
  });

  it("use TLS with the certificate authority of --ca-file", async () => {
    const { url } = await startScriptedService((_, response) => response.end(), { secure: true });
    const secure = url.replace("127.0.0.1", "localhost");
    const caFile = fileURLToPath(new URL("../support/tls/cert.pem", import.meta.url));
    const untrusted = await setUp().run(secure, "--json");
    expect(untrusted).toMatchObject({ code: 6, stdout: "" });
    expect(errorOf(untrusted).message).toContain("certificate");
    const trusted = await setUp().probe(secure, "--ca-file", caFile, "--only", "raw.compact");
    expect(trusted.cases).toMatchObject([{ outcome: "accepted" }]);
  });
});

describe("webhooks probe", () => {
  it.each([
    ["an invalid URL", ["not a url"], "option_invalid"],
    ["a password in the URL", ["http://name:pass@127.0.0.1:9/"], "option_invalid"],
    ["another protocol", ["ftp://127.0.0.1:9/"], "option_invalid"],
    ["an unknown case", ["http://127.0.0.1:9/", "--only", "raw.compakt"], "option_invalid"],
    [
      "a header that the probe sets",
      ["http://127.0.0.1:9/", "--header", "x-service-event: x"],
      "option_invalid",
    ],
    [
      "a secret in the command line",
      ["http://127.0.0.1:9/", "--header", "Authorization: Basic eA=="],
      "option_invalid",
    ],
    ["an invalid header", ["http://127.0.0.1:9/", "--header", "nothing"], "option_invalid"],
    ["a missing file", ["http://127.0.0.1:9/", "--header", "@gone.txt"], "cannot_read"],
    ["an invalid duration", ["http://127.0.0.1:9/", "--timeout", "soon"], "option_invalid"],
  ])("refuses %s", async (_, [url = "", ...more], code) => {
    const result = await setUp().run(url, ...more, "--json");
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(errorOf(result).code).toBe(code);
  });

  it("refuses a missing secret", async () => {
    const result = await runCli(["webhooks", "probe", "http://127.0.0.1:9/", "--json"]);
    expect(result).toMatchObject({ code: 4, stdout: "" });
    expect(errorOf(result).code).toBe("no_secret");
  });
});

it("webhooks probe prints rules, advice and diagnosis separately on a terminal", async () => {
  const { cwd } = setUp();
  const terminal = createTerminalContext({ cwd });
  const url = await startReceiver(() => 200);
  expect(await terminal.run("webhooks", "probe", url, "--secret-file", "secret.txt", "--no-color")).toBe(7);
  const { text } = terminal.stdout;
  expect(text).toMatch(
    /^Documented: 13 pass, 15 fail, 0 untouched$[\s\S]*^Advice: [\s\S]*^The receiver accepts everything/m,
  );
  expect(text).toMatch(/✓ +raw\.compact +pass +accepts compact JSON$/m);
  expect(text).toMatch(/✗ +forged\.wrong_secret +fails +rejects /m);
  expect(text).toMatch(
    /evidence +accepted raw\.compact; accepted raw\.spaced; accepted raw\.indented; and \d+ more cases$/m,
  );
  expect(text + terminal.stderr.text).not.toContain(SECRET);
});

const SECOND_SECRET = "whsec_of_after_the_rotation";

interface Received {
  readonly secret: string | undefined;
  readonly id: string;
}

/** Starts a receiver that checks by both secrets, counts processed events at /effects, and can answer otherwise. */
async function startCounter(respond: (received: Received, process: () => void) => number) {
  let processed = 0;
  const hook = await listenForDeliveries((request, response) => {
    request.toArray().then((chunks) => {
      if (request.method === "GET") return response.end(JSON.stringify({ processed }));
      const body = Buffer.concat(chunks as Buffer[]);
      const now = Date.now();
      const secret = [SECRET, SECOND_SECRET].find(
        (each) =>
          verify({ secrets: [each], headers: request.headers, body, now, toleranceSeconds: 300 }).verdict ===
          "valid",
      );
      if (secret === undefined) return response.writeHead(401).end();
      const count = () => {
        processed += 1;
      };
      return response.writeHead(respond({ secret, id: JSON.parse(`${body}`).id }, count)).end();
    });
  });
  return { hook, effects: hook.replace("/hook", "/effects") };
}

describe("webhooks probe with two secrets and a counter", () => {
  const files = { "second.txt": SECOND_SECRET };
  const both = ["--secret-file", "second.txt", "--only", "sequence"];

  it("passes a receiver that processes each event once, and accepts both secrets", async () => {
    const known = new Set<string>();
    const { hook, effects } = await startCounter(({ id }, process) => {
      if (!known.has(id)) process();
      known.add(id);
      return 204;
    });
    const { code, counts } = await setUp(files).probe(hook, ...both, "--effects-url", effects);
    expect([code, counts]).toEqual([0, { pass: 6, fail: 0, untouched: 0, notRun: 0 }]);
  });

  it("proves that an event is processed twice, and does not guess without a counter", async () => {
    const { hook, effects } = await startCounter((_, process) => {
      process();
      return 204;
    });
    const only = ["--only", "sequence.processed_once"];
    const { probe } = setUp(files);
    const proved = await probe(hook, ...only, "--effects-url", effects);
    expect(proved.rules).toMatchObject([
      { verdict: "fail", basis: "assumed", findings: [{ evidence: expect.stringContaining("rose by 2") }] },
    ]);
    expect(proved.code).toBe(0);
    expect((await probe(hook, ...only, "--effects-url", effects, "--fail-on", "assumed")).code).toBe(7);
    const { rules } = await probe(hook, ...only);
    expect(rules).toMatchObject([
      { verdict: "untouched", reason: expect.stringContaining("give --effects-url") },
    ]);
  });

  it("fails the rotation of a receiver that has dropped one of the secrets, and judges the rest", async () => {
    const { hook } = await startCounter(({ secret }) => (secret === SECRET ? 401 : 204));
    const report = await setUp(files).probe(hook, "--secret-file", "second.txt");
    const failed = report.rules.filter(({ verdict }) => verdict === "fail").map(({ id }) => id);
    expect(failed).toEqual(["sequence.at_once", "sequence.rotation"]);
  });
});

describe("webhooks probe --expected", () => {
  it("judges each basis, and fails when an expected failure passes", async () => {
    const url = await startReceiver((received) =>
      isGenuine(received) && received.raw.length < 100_000 ? 200 : 401,
    );
    const { probe } = setUp({ "none.txt": "", "known.txt": [...AGES, "advice.large_body"].join("\n") });
    expect((await probe(url)).code).toBe(0);
    expect((await probe(url, "--expected", "none.txt")).code).toBe(7);
    expect((await probe(url, "--expected", "known.txt")).code).toBe(0);
    expect((await probe(url, "--fail-on", "advice")).code).toBe(7);
    const good = await startReceiver((received) => (isGenuine(received) ? 200 : 401));
    const { code, stderr } = await probe(good, "--expected", "known.txt");
    expect([code, stderr]).toEqual([7, expect.stringContaining("advice.large_body")]);
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

it("webhooks probe advises to verify before parsing", async () => {
  const url = await startReceiver((received) => {
    try {
      JSON.parse(received.raw.toString());
    } catch {
      return 400;
    }
    return isGenuine(received) ? 200 : 401;
  });
  const report = await setUp().probe(
    url,
    "--only",
    "advice.forged_broken_json",
    "--only",
    "forged.wrong_secret",
  );
  expect(report.rules).toMatchObject([
    { id: "forged.wrong_secret", verdict: "pass" },
    { id: "advice.forged_broken_json", verdict: "fail" },
  ]);
});

it.each([
  ["without its prefix", SECRET.replace("whsec_", ""), "receiver.secret_without_prefix"],
  ["without its first 8 characters", SECRET.slice(8), "receiver.secret_cut"],
  ["with a line feed", `${SECRET}\n`, "receiver.secret_line_feed"],
])("webhooks probe names the cause of a receiver that keeps its secret %s", async (_, secret, id) => {
  const url = await startReceiver(({ headers, raw }) =>
    verify({ secrets: [secret], headers, body: raw }).verdict === "valid" ? 200 : 401,
  );
  const report = await setUp().probe(url);
  expect(report.diagnoses.map((each) => each.id)).toEqual([id]);
});

it("webhooks probe says that a receiver responds in time to forged deliveries only", async () => {
  const url = await listenForDeliveries((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (isGenuine({ headers: request.headers, raw: Buffer.concat(chunks) })) return;
      response.writeHead(401).end();
    });
  });
  const { code, stderr } = await setUp().run(url, "--timeout", "2s");
  expect(code).toBe(6);
  expect(stderr).toContain("responds to a forged delivery, and not in time to the first 3 deliveries");
});
