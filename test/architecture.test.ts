import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./support/cli.ts";

interface Import {
  readonly from: string;
  readonly to: string;
  readonly dynamic: boolean;
  /** Only types; nothing is loaded. */
  readonly isType: boolean;
}

const files = ["src", "sandbox"]
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  )
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"));

const imports: readonly Import[] = files.flatMap((from) => {
  const text = readFileSync(join(ROOT, from), "utf8");
  const resolve = (to: string) => (to.startsWith(".") ? relative(ROOT, join(ROOT, dirname(from), to)) : to);
  const staticImports = [...text.matchAll(/^(?:import|export)\s+(type\b)?[^;]*?from\s+"([^"]+)"/gm)];
  const dynamicImports = [...text.matchAll(/\bimport\("([^"]+)"\)/g)];
  return [
    ...staticImports.map(([, type, to = ""]) => ({
      ...{ from, to: resolve(to), dynamic: false, isType: type !== undefined },
    })),
    ...dynamicImports.map(([, to = ""]) => ({ from, to: resolve(to), dynamic: true, isType: false })),
  ];
});

const runtimeImports = imports.filter(({ isType }) => !isType);

/** The modules that a file loads, itself included. */
function findImports(start: string, edges: readonly Import[]): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (file: string) => {
    if (found.has(file)) return;
    found.add(file);
    for (const { from, to } of edges) if (from === file) visit(to);
  };
  visit(start);
  return found;
}

const eagerImports = runtimeImports.filter(({ dynamic }) => !dynamic);

/** The modules that load with a file, before any code runs. */
const findEagerImports = (start: string) => findImports(start, eagerImports);

const listPackages = (files: Iterable<string>): string[] =>
  [...files].filter((name) => !/^(src\/|sandbox\/|node:|package\.json$)/.test(name));

/** The engine of the sandbox, and what is below it. */
const ENGINE = ["sandbox/engine/", "sandbox/store/", "src/contract/", "src/domain/"];

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "src/domain/": ["src/domain/"],
  "src/contract/": ["src/contract/", "src/domain/"],
  "src/conformance/": ["src/conformance/", "src/contract/", "src/domain/", "sandbox/api/"],
  "src/client/": ["src/client/", "src/contract/", "src/domain/"],
  "src/process/": ["src/process/"],
  "src/pages/": ["src/pages/", "src/domain/"],
  "src/cli/": [
    "src/index.ts",
    "src/cli/",
    "src/client/",
    "src/conformance/",
    "src/contract/",
    "src/domain/",
    "src/process/",
    "sandbox/api/",
    "sandbox/index.ts",
  ],
  "src/signature.ts": ["src/domain/webhooks/"],
  "sandbox/api/": ["sandbox/api/", "src/contract/", "src/domain/"],
  "sandbox/http/": ["sandbox/http/", "sandbox/wire/", "sandbox/handlers/", ...ENGINE],
  "sandbox/inspector/": [
    "sandbox/inspector/",
    "sandbox/control/",
    "sandbox/wire/",
    "sandbox/library/",
    ...ENGINE,
    "src/pages/",
  ],
  "sandbox/control/": [
    "sandbox/control/",
    "sandbox/inspector/",
    "sandbox/wire/",
    "sandbox/library/",
    ...ENGINE,
  ],
  "sandbox/wire/": ["sandbox/wire/", "src/contract/", "src/domain/"],
  "sandbox/handlers/": ["sandbox/handlers/", ...ENGINE],
  "sandbox/library/": ["sandbox/library/", ...ENGINE],
  "sandbox/engine/": ["sandbox/engine/", "sandbox/store/", "src/contract/", "src/domain/", "src/process/"],
  "sandbox/store/": ["sandbox/store/", "src/contract/", "src/domain/"],
};

/** Modules that every folder of the sandbox may import. */
const SHARED: readonly string[] = [
  "sandbox/api/",
  "sandbox/wire/problem-error.ts",
  "sandbox/wire/schema-errors.ts",
  "sandbox/wire/validate.ts",
];

describe("architecture", () => {
  it.each(Object.entries(MAY_IMPORT))("%s imports only the allowed folders", (folder, allowed) => {
    const own = imports.filter(({ from }) => from.startsWith(folder));
    expect(own.length).toBeGreaterThan(0);
    const wrong = own.filter(({ to, from }) => {
      if (!to.startsWith("src/") && !to.startsWith("sandbox/")) return false;
      if (from === "src/cli/connection/embedded-sandbox.ts" && to === "sandbox/start.ts") return false;
      return (
        !allowed.some((prefix) => to.startsWith(prefix)) &&
        !(folder.startsWith("sandbox/") && SHARED.some((prefix) => to.startsWith(prefix)))
      );
    });
    expect(wrong).toEqual([]);
  });

  it("src/cli has nine layers, which import only lower layers", () => {
    const layers = [
      ["main.ts", "program.ts"],
      ["commands/"],
      ["completion/", "doctor/", "records/"],
      ["capabilities/", "sandbox-control/"],
      ["write-log/"],
      ["connection/"],
      ["framework/", "output/"],
      ["files/"],
      ["documents/", "context.ts", "exit-codes.ts"],
    ];
    const locate = (file: string) => {
      const folder = layers.flat().find((name) => file.startsWith(`src/cli/${name}`));
      return { folder, depth: layers.findIndex((layer) => layer.some((name) => name === folder)) };
    };
    const upward = imports.filter(({ from, to, isType }) => {
      if (!from.startsWith("src/cli/") || !to.startsWith("src/cli/")) return false;
      const [own, other] = [locate(from), locate(to)];
      if (own.depth < 0) return true;
      // `framework` and `output` name each other's types: what a command returns, and which options print it.
      const isUpward = isType ? own.depth > other.depth : own.depth >= other.depth;
      return own.folder !== other.folder && own.depth > 0 && isUpward;
    });
    expect(upward).toEqual([]);
  });

  it.each([
    ["of what loads with a file, types included", imports.filter(({ dynamic }) => !dynamic)],
    ["of values, import() included", runtimeImports],
  ])("src and sandbox have no import cycle %s", (_, edges) => {
    const finished = new Set<string>();
    const findCycle = (file: string, path: readonly string[]): readonly string[] | undefined => {
      if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
      if (finished.has(file)) return undefined;
      const targets = edges.filter(({ from }) => from === file);
      const cycle = targets.map(({ to }) => findCycle(to, [...path, file])).find(Boolean);
      finished.add(file);
      return cycle;
    };
    expect(files.map((file) => findCycle(file, [])).filter(Boolean)).toEqual([]);
  });

  it.each(["src/contract", "src/domain/diligence", "sandbox/engine", "sandbox/library", "src/cli/commands"])(
    "%s has at most eight layers of files and folders, without a cycle",
    (folder) => {
      const partOf = (file: string) =>
        file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).replace(/\/.*/, "") : undefined;
      const layers = new Map<string, number>();
      const findLayer = (part: string, path: readonly string[]): number => {
        expect(path, `a cycle in ${folder}`).not.toContain(part);
        const known = layers.get(part);
        if (known !== undefined) return known;
        const below = new Set(
          imports.filter(({ from }) => partOf(from) === part).map(({ to }) => partOf(to)),
        );
        const depths = [...below]
          .filter((other) => other !== undefined && other !== part)
          .map((other) => findLayer(other as string, [...path, part]));
        const layer = Math.max(0, ...depths) + 1;
        layers.set(part, layer);
        return layer;
      };
      const parts = new Set(files.map(partOf).filter((part) => part !== undefined));
      expect(parts.size).toBeGreaterThan(5);
      for (const part of parts) expect(findLayer(part, []), part).toBeLessThanOrEqual(8);
    },
  );

  it("src/domain imports no package, and each package is imported only in its own folder", () => {
    const importsOutside = (pattern: RegExp, folders: RegExp) =>
      runtimeImports.filter(({ from, to }) => pattern.test(to) && !folders.test(from));
    const packages = runtimeImports.filter(
      ({ from, to }) => from.startsWith("src/domain/") && !/^(src\/domain\/|node:)/.test(to),
    );
    expect(packages).toEqual([]);
    expect(importsOutside(/^(koa$|@koa\/)/, /^sandbox\/(http|control)\//)).toEqual([]);
    expect(importsOutside(/^koa-body/, /^sandbox\/wire\//)).toEqual([]);
    expect(importsOutside(/^sql\.js/, /^sandbox\/store\//)).toEqual([]);
    expect(
      importsOutside(/^undici/, /^(src\/client\/|sandbox\/engine\/webhooks\/webhook-sender\.ts)/),
    ).toEqual([]);
    expect(importsOutside(/^preact-render-to-string/, /^src\/pages\/render\.ts/)).toEqual([]);
    expect(importsOutside(/^preact/, /^(src\/pages|sandbox\/inspector)\//)).toEqual([]);
    expect(importsOutside(/^form-data/, /^src\/client\//)).toEqual([]);
    expect(importsOutside(/^(commander|ora)/, /^src\/cli\//)).toEqual([]);
    expect(importsOutside(/^(chalk|cli-table3|string-width)/, /^src\/cli\/output\//)).toEqual([]);
    expect(importsOutside(/^conf/, /^src\/cli\/connection\//)).toEqual([]);
  });

  it("src/signature.ts loads only src/domain and node:crypto", () => {
    const loaded = findImports("src/signature.ts", runtimeImports);
    expect(loaded.size).toBeGreaterThan(5);
    expect([...loaded].filter((name) => !/^src\/(signature\.ts|domain\/)/.test(name))).toEqual([
      "node:crypto",
    ]);
  });

  it("heavy packages load only on the paths that need them", () => {
    const eager = findEagerImports("src/cli/main.ts");
    expect(listPackages(eager)).toEqual(["commander"]);
    const nouns = files.filter((name) => /^src\/cli\/commands\/\w+\/index\.ts$/.test(name));
    expect(nouns.length).toBeGreaterThan(10);
    for (const noun of nouns) expect(listPackages(findEagerImports(noun)), noun).toEqual([]);
    // A command that reads jobs reads no entry file.
    const ofDiligence = findEagerImports("src/cli/commands/diligence/index.ts");
    expect([...ofDiligence].filter((name) => name.endsWith("/entry-file-reader.ts"))).toEqual([]);
    // undici loads with the first delivery.
    expect(listPackages(findEagerImports("sandbox/start.ts"))).toEqual(["typebox", "canonicalize"]);
    // A module that is imported lazily anywhere must not be imported eagerly.
    const lazyImports = imports.filter(({ from, dynamic }) => dynamic && from.startsWith("src/"));
    expect(lazyImports.map(({ to }) => to)).toContain("sandbox/start.ts");
    expect(lazyImports.filter(({ to }) => eager.has(to))).toEqual([]);
  });

  it("each request loads typebox without its engine for types, which is most of it", () => {
    const chunks = join(ROOT, "dist/chunks");
    const texts = readdirSync(chunks).map((name) => readFileSync(join(chunks, name), "utf8"));
    const ofSchemas = texts.filter((text) => text.includes("typebox/build/type/types/object.mjs"));
    expect(ofSchemas.length).toBeGreaterThan(0);
    for (const text of ofSchemas) expect(text).not.toContain("typebox/build/type/engine/instantiate.mjs");
  });

  it("only main.ts and start.ts, where all begins, use process, the clock and random numbers", () => {
    // The fixture of vitest prints.
    const begin = ["src/cli/main.ts", "sandbox/start.ts", "sandbox/vitest.ts"];
    for (const file of files.filter((name) => !begin.includes(name))) {
      const code = readFileSync(join(ROOT, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
      expect(code, file).not.toMatch(
        /"node:(process|perf_hooks)"|\bprocess\.\w|\bconsole\.\w|\bMath\.random\b|\bDate\.now\b|new Date\(\)/,
      );
    }
  });

  it("only src/contract contains path strings", () => {
    for (const file of files.filter((name) => !name.startsWith("src/contract/"))) {
      const code = readFileSync(join(ROOT, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
      const paths = [...code.matchAll(/["'`](\/v1\/|\/api\/)[^"'`]*/g)].map(([text]) => text);
      expect(paths, file).toEqual([]);
    }
  });
});

/** Lines of code. Who adds more than the room says why in the commit that raises the number. */
const LINES: Readonly<Record<string, number>> = {
  "src/cli": 27_850,
  "src/client": 3_340,
  "src/conformance": 1_800,
  "src/contract": 5_300,
  "src/domain": 15_150,
  "src/pages": 1_400,
  "src/process": 210,
  // With the pages of the inspector.
  sandbox: 13_250,
};
const ROOM = 1.03;

/** A file above it has more than one subject. */
const MAX_FILE_LINES = 350;

describe("size", () => {
  const codeFiles = ["src", "sandbox"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .map((name) => join(folder, name))
      .filter((name) => /\.(ts|tsx|js|cjs|css)$/.test(name)),
  );
  const lines = new Map(
    codeFiles.map((file) => [file, readFileSync(join(ROOT, file), "utf8").split("\n").length - 1]),
  );

  it.each(Object.entries(LINES))("%s has at most %i lines, with some room", (folder, most) => {
    const own = codeFiles.filter((file) => file.startsWith(`${folder}/`));
    const sum = own.reduce((total, file) => total + (lines.get(file) ?? 0), 0);
    expect(sum).toBeLessThanOrEqual(most * ROOM);
  });

  it(`no file has more than ${MAX_FILE_LINES} lines`, () => {
    expect([...lines].filter(([, count]) => count > MAX_FILE_LINES)).toEqual([]);
  });
});

describe("test/unit", () => {
  const tests = readdirSync(join(ROOT, "test/unit"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => name.replace(".test.ts", ""));

  it.each(tests)("%s mirrors a source file or folder", (test) => {
    const sources = [`${test}.ts`, dirname(test), `${dirname(test)}.ts`];
    expect(sources.some((source) => existsSync(join(ROOT, source)))).toBe(true);
  });
});
