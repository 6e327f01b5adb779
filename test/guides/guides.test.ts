import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { EXAMPLES } from "../../src/cli/capabilities/example-files.ts";
import { ROOT } from "../support/cli.ts";
import { isInTurn } from "../support/exhaustive.ts";
import { normalizeOutput, outputPattern, parseBlocks, splitCommands } from "../support/guide-blocks.ts";
import { GuideSession } from "../support/guide-session.ts";
import { hasScript } from "../support/terminal-process.ts";

const GUIDES = readdirSync(join(ROOT, "docs/guides")).map((name) => `docs/guides/${name}`);
const PAGES = ["README.md", ...GUIDES];
/** .ci/run runs the README and half of the guides, the other half for another commit, and .ci/long all. */
const PAGES_IN_TURN = PAGES.filter((page, index) => page === "README.md" || isInTurn(index, 2));
const read = (page: string): string => readFileSync(join(ROOT, page), "utf8");

describe.each(PAGES)("%s", (page) => {
  const text = read(page);

  it("has at most 200 lines", () => {
    expect(text.split("\n").length - 1).toBeLessThanOrEqual(200);
  });

  it.runIf(PAGES_IN_TURN.includes(page))(
    "runs with the exit codes and the output that it shows",
    async () => {
      const session = await GuideSession.open();
      try {
        let output = "";
        const blocks = parseBlocks(text);
        for (const [index, { role, text: block, language, line }] of blocks.entries()) {
          const place = `${page}:${line}`;
          const [word = "", file = ""] = role.split("=");
          if (word === "file") {
            session.writeFile(file, block);
          } else if (word === "background") {
            await session.start(block.trim());
          } else if (word === "output" || (word === "terminal" && hasScript)) {
            expect(`${normalizeOutput(output)}\n`, place).toMatch(outputPattern(block));
          } else if (word === "") {
            expect(language, `${place}: name the role of this block`).toBe("sh");
            const commands = splitCommands(block);
            for (const command of commands) {
              const isShown = command === commands.at(-1) && blocks[index + 1]?.role === "terminal";
              const result = await session.run(command.text, { onTerminal: isShown && hasScript });
              expect(result.code, `${place}: ${command.text}\n${result.output}`).toBe(command.exitCode);
              ({ output } = result);
            }
          } else {
            expect(["no-run", "diagram", "terminal"], place).toContain(word);
          }
        }
      } finally {
        await session.close();
      }
    },
  );
});

it("the guides show or link each file of `claims examples`, and show no other text of it", () => {
  const texts = PAGES.map(read);
  const blocks = new Map(
    texts.flatMap(parseBlocks).map(({ role, text }) => [role.replace("file=", ""), text] as const),
  );
  const names = new Set(EXAMPLES.flatMap(({ files }) => Object.keys(files)));
  const inFolder = readdirSync(join(ROOT, "docs/examples"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(join(ROOT, "docs/examples"), join(parentPath, name)));
  expect([...names].sort()).toEqual(inFolder.sort());
  for (const name of names) {
    const isLinked = texts.some((text) => text.includes(`](../examples/${name})`));
    const shown = blocks.get(name);
    if (shown === undefined) expect(isLinked, name).toBe(true);
    else expect(shown, name).toBe(read(`docs/examples/${name}`));
  }
});

it("only these blocks of the guides are not run", () => {
  const skipped = PAGES.flatMap((page) =>
    parseBlocks(read(page))
      .filter(({ role }) => role === "no-run")
      .map(({ text }) => `${page.replace("docs/guides/", "")}: ${text.split("\n")[0]}`),
  );
  expect(skipped).toMatchInlineSnapshot(`
    [
      "README.md: npm ci && npm run demo    # about 10 seconds: submits a file, prints its report, receives and verifies a webhook",
      "README.md: npm pack                                              # in the clone: builds for a minute, makes claims-toolkit-0.2.0.tgz",
      "ci.md: $env:CLAIMS_BASE_URL = "https://partners.example.com"; $env:CLAIMS_API_KEY_FILE = "C:\\claims\\api-key"",
      "conformance.md: claims conformance --passive -- npm test",
      "conformance.md: - run: >",
      "container.md: FROM node:20-slim",
      "container.md: docker run --rm --user 4711 --read-only --tmpfs /tmp -v ./api-key:/run/secrets/api-key:ro -v ./data:/data -w /data \\",
      "container.md: docker run -d --name sandbox -p 4750:4750 --health-cmd 'claims sandbox status' claims sandbox up --host 0.0.0.0 --allow-host sandbox",
      "credentials.md: claims auth login --base-url https://partners.example.com",
      "install.md: npm pack",
      "install.md: npm ci && npm run binary",
      "install.md: podman build -f build/binary/Containerfile --build-arg FILE=claims-0.2.0-linux-x64 -t claims dist/binary",
      "mapping.md: Which of these is the id of a client? (clients.id)",
      "resources.md: npm install openapi-fetch && npm install --save-dev openapi-typescript typescript",
      "resources.md: import createClient from "openapi-fetch";",
      "runners.md: npx jest --testMatch '**/*.jest.cjs'",
      "runners.md: bun story.mjs    # claims examples script --out .",
      "sandbox.md: claims sandbox up --log | jq -c 'select(.event == "request" and .status >= 400) | [.target, .status]'",
      "sandbox.md: claims sandbox exec --grease-each -- npm test",
      "suite.md: claims sandbox exec --frozen -- python3 -m unittest",
      "suite.md: claims sandbox exec --report run.html --report run.json -- npm test",
      "suite.md: claims sandbox exec --grease-each --report grease.xml -- npm test",
      "verify.md: claims webhooks probe https://partner.example/hook --secret-file secret.txt",
      "webhooks.md: claims webhooks listen --register --secret-file listen.txt --forward-to http://127.0.0.1:3001/hook",
      "webhooks.md: 21:04:12  partner.test                  valid               178 B  → 401  app 401, 4 ms",
      "webhooks.md: claims webhooks listen --port 0 --register --count 1 --timeout 1m --json",
    ]
  `);
});

it("the generated client of a guide is the one that .ci/packed runs", () => {
  const shown = parseBlocks(read("docs/guides/resources.md")).find(({ language }) => language === "ts");
  expect(read("test/generated-clients/openapi-fetch.ts")).toContain(shown?.text);
});
