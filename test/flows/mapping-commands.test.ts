import { readFileSync } from "node:fs";
import type { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { fixture, runCli, temporaryFile } from "../support/cli.ts";
import { type Script, sendJson, startScriptedService } from "../support/scripted-service.ts";
import { createTerminalContext } from "../support/terminal.ts";

const PARTIES = [1, 2, 3, 4, 5].map((number) => ({ party: `P-7010${number}`, name: `Party ${number}` }));

type Routes = Readonly<Record<string, (query: URLSearchParams) => unknown>>;

/** A service with a few routes; a number is a status. */
const serve =
  (routes: Routes): Script =>
  ({ method, url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://x");
    const body = routes[pathname]?.(searchParams) ?? 404;
    if (typeof body === "number")
      return sendJson(response, body, { reason: "NO", say: "That is not there." });
    sendJson(response, method === "POST" ? 202 : 200, body);
  };

async function startLearning(routes: Routes) {
  const { env, requests, url } = await startScriptedService(serve(routes));
  const learn = async (...args: string[]) => {
    const result = await runCli(["mapping", "learn", ...args], { env });
    return { ...result, lines: result.stdout === "" ? {} : JSON.parse(result.stdout) };
  };
  return { env, learn, requests, url };
}

describe("mapping learn", () => {
  it("asks how a list goes on of which only the service's own document, or a number beside it, shows more", async () => {
    const { learn } = await startLearning({
      "/v1/clients": (query) => {
        const from = Number(query.get("from") ?? 0);
        return { parties: PARTIES.slice(from, from + 2), window: { from, of: PARTIES.length } };
      },
      "/v1/claims": (query) => {
        const pg = Number(query.get("pg") ?? 1);
        const dockets = PARTIES.slice(2 * pg - 2, 2 * pg).map(({ party }) => ({ docket: `D${party}` }));
        return { dockets, listing: { pg, all: PARTIES.length } };
      },
      "/v1/docs/openapi": () => ({
        paths: { "/v1/clients": { get: { parameters: [{ name: "from", in: "query" }] } } },
      }),
    });
    const open = await learn();
    expect([open.code, open.lines]).toEqual([
      5,
      expect.not.objectContaining({ "clients.paging": expect.anything() }),
    ]);
    const setting = `clients.paging={"offset":"from"}`;
    expect(open.stderr).toContain(`--set '${setting}'`);
    const others = ["--set", `claims.paging={"page":"pg","first":1}`];
    expect(open.stderr).toContain(`--set '${others[1]}'`);
    const answered = await learn("--set", setting, ...others);
    expect([answered.code, answered.lines]).toEqual([
      0,
      expect.objectContaining({ "clients.id": "party", "claims.id": "docket" }),
    ]);
    const wrong = await learn("--set", `clients.paging={"offset":"skip"}`, ...others);
    expect([wrong.code, wrong.lines, wrong.stderr]).toEqual([
      5,
      expect.not.objectContaining({ "clients.paging": expect.anything() }),
      expect.stringContaining("clients.paging is left out: the next page has no new row"),
    ]);
  });

  it("does not offer that a list has no pages if the next run would refuse it", async () => {
    const { learn } = await startLearning({
      "/v1/clients": () => ({ parties: PARTIES, pg: 1, pages: 3 }),
      "/v1/claims": () => ({ dockets: PARTIES.map(({ party }) => ({ docket: `D${party}` })), total: 9 }),
    });
    const ids = ["--set", "clients.id=party", "--set", "claims.id=docket"];
    const open = await learn(...ids);
    expect(open.stderr).toContain(
      "open: clients.paging: the response shows that the list of clients goes on",
    );
    expect(open.stderr).not.toContain("--set clients.paging=none");
    expect(open.stderr).toContain("--set claims.paging=none");
    const answered = await learn(...ids, "--set", "claims.paging=none");
    expect(answered.lines).toMatchObject({ "claims.paging": "none" });
  });

  it("leaves open how a list goes on whose last page comes again for ever", async () => {
    const { learn } = await startLearning({
      "/v1/clients": (query) => {
        const page = Math.min(3, Number(query.get("page") ?? 1));
        return { parties: PARTIES.slice(2 * page - 2, 2 * page), page };
      },
    });
    const { code, lines, stderr } = await learn("--set", "clients.id=party");
    expect([code, lines]).toEqual([5, expect.not.objectContaining({ "clients.paging": expect.anything() })]);
    expect(stderr).toContain("open: clients.paging: the response shows that the list of clients goes on");
  });

  it("knows the place of the state of a job that has ended by a word that was given", async () => {
    const job = { ref: "R-000101", standing: "SETTLED", desk: "B4" };
    const { learn } = await startLearning({
      "/v1/diligence/submit": () => ({ ref: job.ref }),
      "/v1/diligence/status/R-000101": () => ({ docket: job }),
      "/v1/diligence/report/R-000101": () => ({ rf8Review: {} }),
    });
    const submit = ["--submit", fixture("sample_entries.csv"), "--seller-name", "Acme"];
    const { code, lines } = await learn(...submit, "--set", 'job.words={"SETTLED":"completed"}');
    expect([code, lines]).toEqual([
      0,
      expect.objectContaining({ "job.id": "docket.ref", "job.state": "docket.standing" }),
    ]);
  });

  /** A service whose response to a submission has three numbers, and which knows the job of one of them. */
  const startNumbered = (jobId: number) =>
    startLearning({
      "/v1/diligence/submit": () => ({
        answer: { ticketNo: jobId, trackingNo: jobId + 7 },
        requestNo: "r-77",
      }),
      [`/v1/diligence/status/${jobId}`]: () => ({ review: { ticketNo: jobId, step: "failed" } }),
    });
  const SUBMIT = ["--submit", fixture("sample_entries.csv"), "--seller-name", "Acme"];

  it("does not take a number inside of a cell that was sent for an echo", async () => {
    expect(readFileSync(fixture("sample_entries.csv"), "utf8")).toContain(",6110202079,");
    const { learn } = await startNumbered(6110202);
    const { lines, stderr } = await learn(...SUBMIT);
    expect(lines, stderr).toMatchObject({ "submitted.id": "answer.ticketNo", "job.id": "review.ticketNo" });
    expect(stderr).not.toContain("submitted.id");
  });

  it("offers no number that was sent as a cell, and no line whose id does not read back", async () => {
    expect(readFileSync(fixture("sample_entries.csv"), "utf8")).toContain(",1401,");
    const { env, learn } = await startNumbered(1401);
    const open = await learn(...SUBMIT);
    expect(open.lines).not.toHaveProperty(["submitted.id"]);
    expect(open.stderr).toContain("  --set submitted.id=VALUE\n");
    expect(open.stderr).not.toContain("--set submitted.id=answer.trackingNo");

    const wrong = await learn(...SUBMIT, "--set", "submitted.id=answer.trackingNo");
    expect(wrong.lines).not.toHaveProperty(["submitted.id"]);
    expect(wrong.stderr).toContain(
      "open: submitted.id: the service answers the id at answer.trackingNo with 404",
    );
    const history = () => runCli(["history", "--unknown", "--json"], { env });
    expect(JSON.parse((await history()).stdout)).toHaveLength(1);

    const right = await learn(...SUBMIT, "--set", "submitted.id=answer.ticketNo");
    expect(right.lines).toMatchObject({ "submitted.id": "answer.ticketNo", "job.id": "review.ticketNo" });
    expect(JSON.parse((await history()).stdout)).toEqual([]);
  });

  it("asks again for an answer that is no line of a mapping", async () => {
    const { env } = await startLearning({
      "/v1/clients": () => ({ parties: PARTIES.map(({ party }) => ({ party, tax: `5${party}` })) }),
    });
    const { context, run, stdout, stderr } = createTerminalContext({ env });
    const ended = run("mapping", "learn", "--json");
    for (const [count, answer] of ["a..b", "9", "1"].entries()) {
      const prompts = () => stderr.text.split("to leave it open").length - 1;
      while (prompts() <= count) await new Promise((resolve) => setTimeout(resolve, 10));
      (context.stdin.readable as PassThrough).write(`${answer}\n`);
    }
    expect(await ended, stderr.text).toBe(0);
    expect(stderr.text).toContain("clients.id: expected a path");
    expect(JSON.parse(stdout.text)).toMatchObject({ clients: "parties", "clients.id": "party" });
  });

  it("keeps what is proved at the first 429, and asks for nothing more", async () => {
    const { learn, requests } = await startLearning({
      "/v1/clients": () => ({ parties: PARTIES }),
      "/v1/claims": () => 429,
    });
    const { code, lines } = await learn();
    expect([code, lines]).toEqual([6, expect.objectContaining({ clients: "parties" })]);
    expect(requests.at(-1)?.url).toBe("/v1/claims");
  });

  it("reads production with --yes only", async () => {
    const { learn, requests } = await startLearning({ "/v1/clients": () => ({ parties: PARTIES }) });
    const refused = await learn("--environment", "production");
    expect([refused.code, refused.stderr, requests]).toEqual([4, expect.stringContaining("give --yes"), []]);
    expect((await learn("--environment", "production", "--yes")).code).toBe(0);
  });

  it("asks another host for nothing", async () => {
    const other = await startScriptedService(serve({}));
    const { learn } = await startLearning({
      "/v1/clients": () => ({ parties: PARTIES, next: `${other.url}/v1/clients?page=2` }),
    });
    const { code, stderr } = await learn();
    expect([code, stderr, other.requests]).toEqual([5, expect.stringContaining("open: clients.paging"), []]);
  });
});

it("mapping check reads each list to its end, and prints the sentences of the interface that the service contradicts", async () => {
  const hook = {
    id: "e-1",
    label: "x",
    url: "https://x",
    status: "on",
    secretPrefix: "s",
    subscribedEvents: [],
  };
  const { env, url } = await startLearning({
    "/v1/webhooks/endpoints": () => ({ hooks: [hook] }),
    "/v1/clients": () => ({ parties: PARTIES, total: 9 }),
  });
  const file = temporaryFile("mapping.json", JSON.stringify({ endpoints: "hooks", clients: "parties" }));
  const { code, stdout, stderr } = await runCli(["mapping", "check", file, "--base-url", url], { env });
  expect([code, stdout]).toEqual([7, 'clients\t5\tthe response has "total": 9\nendpoints\t1\t\n']);
  expect(stderr.match(/^note: .*$/gm)).toEqual([
    expect.stringMatching(/^note: endpoints: id is "e-1", but §2: An endpoint has a durable UUID/),
    expect.stringMatching(/^note: endpoints: no environmentScope is found, but §2: The scope/),
    expect.stringMatching(/^note: endpoints: status is "on", but §2: The status of an endpoint is active/),
  ]);
});
