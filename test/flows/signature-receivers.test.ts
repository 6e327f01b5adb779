import { fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { RAW_BODY_EXAMPLES } from "../../src/domain/webhooks/explain/raw-body-examples.ts";
import { bareEnvironment, ROOT, runCli, temporaryFolder } from "../support/cli.ts";
import { parseBlocks } from "../support/guide-blocks.ts";
import { SECRET } from "../support/receivers/listen.ts";

type Framework = keyof typeof RAW_BODY_EXAMPLES;

/** The file of a framework's receiver in the guides. */
const FILES: Readonly<Record<Framework, string>> = {
  Express: "receiver.mjs",
  Koa: "koa.mjs",
  "Next.js": "app/hook/route.js",
  Flask: "receiver.py",
  "API Gateway + Lambda": "handler.mjs",
};

const blocks = ["webhooks.md", "receivers.md"].flatMap((guide) =>
  parseBlocks(readFileSync(join(ROOT, "docs/guides", guide), "utf8")),
);

const receiverOf = (framework: Framework): string =>
  blocks.find(({ role }) => role === `file=${FILES[framework]}`)?.text ?? "";

/** What a platform does with the functions that it is given. */
const PLATFORMS: Readonly<Partial<Record<Framework, string>>> = {
  "Next.js": `
    import { POST } from "./receiver.mjs";
    const answerTo = async ({ headers }, body) => {
      const answer = await POST(new Request("http://127.0.0.1/hook", { method: "POST", headers, body }));
      return { statusCode: answer.status };
    };`,
  "API Gateway + Lambda": `
    import { handler } from "./receiver.mjs";
    const isBase64Encoded = process.env.ENCODING === "base64";
    const answerTo = ({ headers }, body) =>
      handler({ headers, isBase64Encoded, body: body.toString(isBase64Encoded ? "base64" : "utf8") });`,
};

const SERVING = `
  import { createServer } from "node:http";
  createServer(async (request, response) => {
    const { statusCode } = await answerTo(request, Buffer.concat(await request.toArray()));
    response.writeHead(statusCode).end();
  }).listen(0);`;

/** Tells the test where the receiver listens, which had port 0 to choose from. */
const TELLING = `
  import { Server } from "node:net";
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...args) {
    return listen.apply(this, args).once("listening", () => process.send(this.address().port));
  };`;

const environment = (more: Readonly<Record<string, string>> = {}) => ({
  ...bareEnvironment(),
  ...more,
  PORT: "0",
  WEBHOOK_SECRET: SECRET,
});

/** Runs the text of a receiver as its reader would, in a project of its own. */
async function running(framework: Framework, env?: Readonly<Record<string, string>>): Promise<string> {
  const project = temporaryFolder();
  mkdirSync(join(project, "node_modules"));
  symlinkSync(ROOT, join(project, "node_modules", "claims-toolkit"));
  for (const name of ["express", "koa"])
    symlinkSync(join(ROOT, "node_modules", name), join(project, "node_modules", name));
  const platform = PLATFORMS[framework];
  writeFileSync(join(project, "receiver.mjs"), receiverOf(framework));
  writeFileSync(join(project, "telling.mjs"), TELLING);
  writeFileSync(join(project, "serving.mjs"), platform ? platform + SERVING : "");
  const child = fork(join(project, platform ? "serving.mjs" : "receiver.mjs"), {
    execArgv: ["--import", join(project, "telling.mjs")],
    env: environment(env),
  });
  onTestFinished(() => void child.kill());
  const [port] = await once(child, "message");
  return `http://127.0.0.1:${port}/hook`;
}

/** Flask's own server tells its port on stderr. */
async function runningFlask(): Promise<string> {
  const file = join(temporaryFolder(), "receiver.py");
  writeFileSync(file, receiverOf("Flask"));
  const child = spawn("python3", [file], { env: environment(), stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill());
  const port = await new Promise<string>((resolve, reject) => {
    let output = "";
    child.once("close", () => reject(new Error(output)));
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const [, found] = /Running on http:\/\/127\.0\.0\.1:(\d+)/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  return `http://127.0.0.1:${port}/hook`;
}

async function probed(url: string) {
  const env = { ...bareEnvironment(), CLAIMS_WEBHOOK_SECRET: SECRET };
  const { code, stdout, stderr } = await runCli(["webhooks", "probe", url, "--json"], { env });
  const { cases } = JSON.parse(stdout) as { cases: { id: string; basis: string; met: boolean | null }[] };
  const unmet = (basis: string) =>
    cases.filter((each) => each.basis === basis && each.met !== true).map(({ id }) => id);
  return { code, stderr, failed: unmet("documented"), advised: unmet("advice") };
}

const hasFlask = spawnSync("python3", ["-c", "import flask"]).status === 0;

describe("the receivers of the guides pass webhooks probe", () => {
  it("have the lines for the raw body that webhooks verify prints", () => {
    for (const [framework, line] of Object.entries(RAW_BODY_EXAMPLES))
      expect(receiverOf(framework as Framework), framework).toContain(line);
  });

  it.each<[Framework, Readonly<Record<string, string>>]>([
    ["Express", {}],
    ["Koa", {}],
    ["Next.js", {}],
    ["API Gateway + Lambda", { ENCODING: "base64" }],
    ["API Gateway + Lambda", { ENCODING: "utf8" }],
  ])("%s %j", async (framework, env) => {
    const advised = framework === "API Gateway + Lambda" ? ["advice.event_differs"] : [];
    expect(await probed(await running(framework, env))).toEqual({ code: 0, stderr: "", failed: [], advised });
  });

  it.skipIf(!hasFlask)("Flask", async () => {
    const advised = ["advice.event_differs", "advice.old_10_minutes", "advice.old_1_day"];
    expect(await probed(await runningFlask())).toEqual({ code: 0, stderr: "", failed: [], advised });
  });
});
