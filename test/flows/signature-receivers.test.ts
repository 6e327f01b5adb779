import { fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { RAW_BODY_EXAMPLES } from "../../src/domain/webhooks/explain/raw-body-examples.ts";
import { bareEnvironment, ROOT, runCli, temporaryFile, temporaryFolder } from "../support/cli.ts";
import { itEachFirst } from "../support/large.ts";
import { SECRET } from "../support/receivers/listen.ts";

/** The file of a framework's receiver in docs/examples. */
const FILES = {
  Express: "receiver.mjs",
  Koa: "koa.mjs",
  "Next.js": "app/hook/route.js",
  Flask: "receiver.py",
  "API Gateway + Lambda": "handler.mjs",
} as const;
type Framework = keyof typeof FILES;

const readReceiver = (framework: Framework): string =>
  readFileSync(join(ROOT, "docs/examples", FILES[framework]), "utf8");

/** For each platform, calls the handler of the receiver as that platform does. */
const PLATFORMS: Readonly<Partial<Record<Framework, string>>> = {
  "Next.js": `
    import { POST } from "./receiver.mjs";
    const respond = async ({ headers }, body) => {
      const response = await POST(new Request("http://127.0.0.1/hook", { method: "POST", headers, body }));
      return { statusCode: response.status };
    };`,
  "API Gateway + Lambda": `
    import { handler } from "./receiver.mjs";
    const isBase64Encoded = process.env.ENCODING === "base64";
    const respond = ({ headers }, body) =>
      handler({ headers, isBase64Encoded, body: body.toString(isBase64Encoded ? "base64" : "utf8") });`,
};

const SERVER = `
  import { createServer } from "node:http";
  createServer(async (request, response) => {
    const { statusCode } = await respond(request, Buffer.concat(await request.toArray()));
    response.writeHead(statusCode).end();
  }).listen(0);`;

/** Sends the port of a receiver, which listens on port 0, to the test. */
const ANNOUNCE_PORT = `
  import { Server } from "node:net";
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...args) {
    return listen.apply(this, args).once("listening", () => process.send(this.address().port));
  };`;

const receiverEnvironment = (more: Readonly<Record<string, string>> = {}) => ({
  ...bareEnvironment(),
  ...more,
  PORT: "0",
  WEBHOOK_SECRET: SECRET,
});

/** Runs a receiver of the guides in a new project, and returns its URL. */
async function startGuideReceiver(
  framework: Framework,
  env?: Readonly<Record<string, string>>,
): Promise<string> {
  const project = temporaryFolder();
  mkdirSync(join(project, "node_modules"));
  symlinkSync(ROOT, join(project, "node_modules", "claims-toolkit"));
  for (const name of ["express", "koa"])
    symlinkSync(join(ROOT, "node_modules", name), join(project, "node_modules", name));
  const platform = PLATFORMS[framework];
  writeFileSync(join(project, "receiver.mjs"), readReceiver(framework));
  writeFileSync(join(project, "announce-port.mjs"), ANNOUNCE_PORT);
  writeFileSync(join(project, "server.mjs"), platform ? platform + SERVER : "");
  const child = fork(join(project, platform ? "server.mjs" : "receiver.mjs"), {
    execArgv: ["--import", join(project, "announce-port.mjs")],
    env: receiverEnvironment(env),
  });
  onTestFinished(() => void child.kill());
  const [port] = await once(child, "message");
  return `http://127.0.0.1:${port}/hook`;
}

/** Runs the Flask receiver, whose server prints its port on stderr, and returns its URL. */
async function startFlask(): Promise<string> {
  const file = temporaryFile("receiver.py", readReceiver("Flask"));
  const child = spawn("python3", [file], { env: receiverEnvironment(), stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill());
  const port = await new Promise<string>((resolve, reject) => {
    let output = "";
    child.once("close", () => reject(new Error(output)));
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const [, listening] = /Running on http:\/\/127\.0\.0\.1:(\d+)/.exec(output) ?? [];
      if (listening !== undefined) resolve(listening);
    });
  });
  return `http://127.0.0.1:${port}/hook`;
}

async function probe(url: string) {
  const env = { ...bareEnvironment(), CLAIMS_WEBHOOK_SECRET: SECRET };
  const { code, stdout, stderr } = await runCli(["webhooks", "probe", url, "--json"], { env });
  const { cases } = JSON.parse(stdout) as { cases: { id: string; basis: string; met: boolean | null }[] };
  const listUnmet = (basis: string) =>
    cases.filter((each) => each.basis === basis && each.met === false).map(({ id }) => id);
  return { code, stderr, failed: listUnmet("documented"), unmetAdvice: listUnmet("advice") };
}

const hasFlask = spawnSync("python3", ["-c", "import flask"]).status === 0;

describe("the receivers of the guides", () => {
  it("read the raw body as webhooks verify advises", () => {
    for (const framework of Object.keys(FILES) as Framework[])
      expect(readReceiver(framework), framework).toContain(RAW_BODY_EXAMPLES[framework]);
  });

  itEachFirst<[Framework, Readonly<Record<string, string>>]>([
    ["Express", {}],
    ["Koa", {}],
    ["Next.js", {}],
    ["API Gateway + Lambda", { ENCODING: "base64" }],
    ["API Gateway + Lambda", { ENCODING: "utf8" }],
  ])("pass webhooks probe: %s %j", async (framework, env) => {
    const url = await startGuideReceiver(framework, env);
    expect(await probe(url)).toEqual({ code: 0, stderr: "", failed: [], unmetAdvice: [] });
  });

  it.skipIf(!hasFlask)("pass webhooks probe: Flask", { tags: "large" }, async () => {
    const unmetAdvice = ["advice.old_10_minutes", "advice.future_10_minutes"];
    const url = await startFlask();
    expect(await probe(url)).toEqual({ code: 0, stderr: "", failed: [], unmetAdvice });
  });
});
