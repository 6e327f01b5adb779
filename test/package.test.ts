import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createContext, runInContext } from "node:vm";
import { build } from "rolldown";
import { describe, expect, it } from "vitest";
import type * as Signature from "../src/signature.ts";
import { fixture, ROOT } from "./support/cli.ts";

const run = promisify(execFile);
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const shipped = readdirSync(join(ROOT, "dist"), { recursive: true, encoding: "utf8" }).filter(
  (name) => /\.c?js$/.test(name) && !name.startsWith("binary"),
);

/** The modules that dist has code of: the bundler names each in a comment. */
const modules = shipped.flatMap((name) =>
  [...read(join("dist", name)).matchAll(/^\s*\/\/ (\S+\.[cm]?[jt]sx?)$/gm)].map(([, path = ""]) => path),
);

const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/** The folders inside its package that a module is in. */
function listFolders(path: string): string[] {
  const folder = dirname(path);
  return PACKAGE.exec(folder)?.[0] === folder ? [] : [folder, ...listFolders(folder)];
}

describe("THIRD_PARTY_LICENSES", () => {
  const sections = read("THIRD_PARTY_LICENSES").split(/\n-{78}\n/);
  const licensed = sections.flatMap((section) =>
    [...section.matchAll(/^(\S+ \d+\.\d+\.\S+) \((.+)\)$/gm)].map(([, name = "", license = ""]) => ({
      name,
      license,
      section,
    })),
  );

  it("names every package in the bundles, and no other", () => {
    const folders = modules.flatMap((path) => PACKAGE.exec(path) ?? []);
    const bundled = [...new Set(folders)].map((folder) => {
      const { name, version } = JSON.parse(read(join(folder, "package.json")));
      return `${name} ${version}`;
    });
    expect(bundled.length).toBeGreaterThan(50);
    expect(licensed.map(({ name }) => name).sort()).toEqual([...new Set(bundled)].sort());
  });

  it("contains each licence of a folder inside a package", () => {
    const inside = modules.filter((path) => PACKAGE.test(path)).flatMap(listFolders);
    const licenses = [...new Set(inside)].flatMap((folder) =>
      readdirSync(join(ROOT, folder))
        .filter((name) => /^(licen[cs]e|copying|notice)/i.test(name))
        .map((name) => read(join(folder, name)).replaceAll("\r\n", "\n").trim()),
    );
    expect(licenses.length).toBeGreaterThan(1);
    const text = read("THIRD_PARTY_LICENSES");
    for (const license of licenses) expect(text).toContain(license);
  });

  it("contains the licence text of each package, and all are permissive", () => {
    for (const { name, license, section } of licensed) {
      expect(["Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"], name).toContain(license);
      expect(section, name).toMatch(
        /Permission (is hereby granted|to use)|Redistribution and use|Apache License/,
      );
      expect(section, name).toMatch(/WITHOUT WARRANT(Y|IES)|"?AS IS"?/);
    }
  });

  it.each([
    [/^undici \S+ contains llhttp$/m, "Fedor Indutny"],
    [/^sql\.js \S+ contains SQLite, /m, "public domain"],
    [/^sql\.js \S+ contains the runtime of Emscripten$/m, "Emscripten authors"],
    [/^@fastify\/busboy \S+ contains deps\/dicer$/m, "Brian White"],
    [/^@fastify\/busboy \S+ contains streamsearch$/m, "Brian White"],
    [/^koa-compose /m, "TJ Holowaychuk"],
  ])("contains the licences that packages embed: %s", (heading, holder) => {
    expect(sections.find((section) => heading.test(section))).toContain(holder);
  });
});

/** Evaluates a CommonJS text in a context with `node:crypto` and no other module, and returns its exports. */
function loadWithCrypto(text: string): typeof Signature {
  const require = (name: string) => {
    if (name !== "node:crypto") throw new Error(`cannot find module ${name}`);
    return createRequire(import.meta.url)(name);
  };
  const module = { exports: {} as typeof Signature };
  runInContext(text, createContext({ module, exports: module.exports, require }));
  return module.exports;
}

describe("the signature module", () => {
  interface Vector extends Signature.ExplainInput {
    readonly name: string;
    readonly bodyBase64: string;
    readonly verdict: string;
    readonly causes?: readonly string[];
  }
  const { vectors } = JSON.parse(readFileSync(fixture("signatures/vectors.json"), "utf8")) as {
    vectors: Vector[];
  };

  const bundleSignature = async () => {
    const { output } = await build({
      input: join(ROOT, "dist/signature.js"),
      ...{ platform: "neutral", external: ["node:crypto"], output: { format: "cjs" }, write: false },
    });
    return output[0].code;
  };

  it.each([
    ["as a bundled ES module", bundleSignature],
    ["as CommonJS", async () => read("dist/signature.cjs")],
  ])("works in a context with only node:crypto, %s", async (_, text) => {
    const { explain, sign, verify } = loadWithCrypto(await text());
    const signInput = { secret: "whsec_x", timestamp: "1", body: "{}" };
    expect(sign(signInput)).toBe(createHmac("sha256", "whsec_x").update("1.{}").digest("hex"));
    for (const vector of vectors) {
      const received = { ...vector, body: Buffer.from(vector.bodyBase64, "base64") };
      expect(verify(received).verdict, vector.name).toBe(vector.verdict);
      expect(
        explain(received).causes.map(({ id }) => id),
        vector.name,
      ).toEqual(vector.causes ?? []);
    }
  });

  it("accepts bytes of another realm and any view of bytes", () => {
    const { explain, sign, verify } = loadWithCrypto(read("dist/signature.cjs"));
    const bytes = Uint8Array.from(Buffer.from("{}\n"));
    const headers = {
      "x-service-timestamp": "1",
      "x-service-signature": sign({ secret: "whsec_x", timestamp: "1", body: "{}" }),
    };
    const received = { secrets: ["whsec_x"], headers };
    expect(verify({ ...received, body: bytes.subarray(0, 2) }).verdict).toBe("valid");
    const view = new DataView(bytes.buffer, 0, 2) as unknown as Uint8Array;
    expect(verify({ ...received, body: view }).verdict).toBe("valid");
    const whole = new DataView(bytes.buffer) as unknown as Uint8Array;
    for (const body of [bytes, whole])
      expect(explain({ ...received, body }).causes[0]?.id).toBe("body.trailing_newline");
    expect(() => verify({ ...received, body: { parsed: true } as unknown as string })).toThrow(/raw body/);
  });
});

describe("import and require", () => {
  it("dist/index.js and dist/signature.js are ES modules that import only each other and modules of Node", async () => {
    const formats = new Map<string, unknown>();
    const outside: [id: string, kind: string][] = [];
    await build({
      input: ["index", "signature"].map((name) => join(ROOT, `dist/${name}.js`)),
      platform: "node",
      plugins: [
        {
          name: "records-imports",
          resolveId(id, _importer, { kind }) {
            if (kind === "require-call" || /^[^./]/.test(id)) outside.push([id, kind]);
          },
          moduleParsed: ({ id, inputFormat }) => void formats.set(id, inputFormat),
        },
      ],
      write: false,
    });
    const inDist = [...formats].filter(([id]) => id.startsWith(join(ROOT, "dist")));
    expect(inDist.length).toBeGreaterThan(2);
    expect(inDist.filter(([, format]) => format !== "es")).toEqual([]);
    expect(outside.filter(([id, kind]) => kind === "require-call" || !id.startsWith("node:"))).toEqual([]);
    for (const [id] of inDist) expect(readFileSync(id, "utf8"), id).not.toContain("import.meta");
  });

  it("claims-toolkit and claims-toolkit/sandbox share their classes, and their stacks name functions", async () => {
    const program = `
      const { ClaimsError, Client } = require("claims-toolkit");
      const { startSandbox } = require("claims-toolkit/sandbox");
      startSandbox({ port: -1 }).catch((error) => console.log(error instanceof ClaimsError, error.name, error.stack));`;
    const { stdout } = await run(process.execPath, ["--eval", program], { cwd: ROOT });
    expect(stdout).toMatch(/^true ClaimsError /);
    expect(stdout).toContain("at startSandbox ");
  });
});

describe("build/undici.js", () => {
  const require = createRequire(import.meta.url);

  it("assembles undici from the same parts as its index", () => {
    const undici = require("undici");
    expect(require("undici/lib/dispatcher/agent.js")).toBe(undici.Agent);
    expect(require("undici/lib/dispatcher/dispatcher.js")).toBe(undici.Dispatcher);
    expect(require("undici/lib/core/connect.js")).toBe(undici.buildConnector);
    const api = require("undici/lib/api/index.js");
    expect(Object.keys(api)).toContain("request");
    for (const [name, method] of Object.entries(api))
      expect(undici.Dispatcher.prototype[name], name).toBe(method);
  });

  it("excludes fetch, WebSocket, caches and mocks from the bundles", () => {
    const undiciModules = modules.filter((path) => path.includes("node_modules/undici/"));
    expect(undiciModules.length).toBeGreaterThan(20);
    expect(
      undiciModules.filter((path) =>
        /\/(web\/(websocket|cache|eventsource)|mock|cache|interceptor)\/|fetch\/index/.test(path),
      ),
    ).toEqual([]);
  });
});

describe("the packages that the program is made of", () => {
  const packages = [
    ...["commander", "undici", "form-data", "cli-table3", "chalk", "ora", "conf"],
    ...["koa", "@koa/router", "koa-body", "sql.js"],
  ];

  it.each(packages)("dist contains code of %s", (name) => {
    expect(modules.filter((path) => path.startsWith(`node_modules/${name}/`))).not.toEqual([]);
  });

  it("knip reports each of them when no code imports it", () => {
    const { devDependencies } = JSON.parse(read("package.json"));
    const knip = JSON.parse(read("knip.json"));
    for (const name of packages) {
      expect(Object.keys(devDependencies)).toContain(name);
      expect(knip.ignoreDependencies).not.toContain(name);
    }
  });
});
