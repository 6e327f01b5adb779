import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/cli.ts";

const docs = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => join("docs", name));

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

/** The text without fenced code, where brackets are not links. */
const readProse = (file: string): string => read(file).replace(/^```[\s\S]*?^```/gm, "");

interface Link {
  readonly target: string;
  /** The linked file, relative to the root. */
  readonly file: string;
  readonly anchor: string | undefined;
}

const parseLinks = (from: string): readonly Link[] =>
  [...readProse(from).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, target = ""]) => {
    const [path = "", anchor] = target.split("#");
    return { target, anchor, file: path === "" ? from : relative(ROOT, join(ROOT, dirname(from), path)) };
  });

/** The anchors of a page's headings, as GitHub generates them. */
const listAnchors = (file: string): readonly string[] =>
  [...readProse(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

describe.each(["README.md", "CONTRIBUTING.md", ...docs])("%s", (page) => {
  it("has no dead link", () => {
    for (const { target, file, anchor } of parseLinks(page)) {
      expect(existsSync(join(ROOT, file)), target).toBe(true);
      if (anchor !== undefined) expect(listAnchors(file), target).toContain(anchor);
    }
  });
});

describe("docs", () => {
  const { files } = JSON.parse(read("package.json")) as { readonly files: readonly string[] };
  const isShipped = (path: string) =>
    ["README.md", "LICENSE", ...files].some((entry) => path === entry || path.startsWith(`${entry}/`));

  it("contains only pages that docs/README.md links to", () => {
    const linked = parseLinks("docs/README.md").map(({ file }) => file);
    expect(docs.filter((page) => page !== "docs/README.md" && !linked.includes(page))).toEqual([]);
  });

  it.each(["README.md", ...docs])("%s links only to files of the tarball", (page) => {
    expect(isShipped(page)).toBe(true);
    for (const { target, file } of parseLinks(page)) expect(isShipped(file), target).toBe(true);
  });
});

describe("hand-written pages", () => {
  const handwritten = ["README.md", ...docs.filter((page) => !page.startsWith("docs/reference/"))];

  /** The table rows of a page, without headings. */
  const listTableRows = (page: string): string[] => {
    const lines = readProse(page).split("\n");
    const isRule = (line = "") => /^\|[-:| ]+\|$/.test(line.trim());
    return lines
      .filter((line, index) => /^\|.*\|$/.test(line.trim()) && !isRule(line) && !isRule(lines[index + 1]))
      .map((line) => line.replace(/\s+/g, " ").trim());
  };

  it("contain no table row twice", () => {
    const rows = handwritten.flatMap(listTableRows);
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.filter((row, index) => rows.indexOf(row) !== index)).toEqual([]);
  });
});

it("docs/architecture.md names only existing files and folders", () => {
  const text = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");
  const paths = [...text.matchAll(/\b(?:bin|docs|fixtures|sandbox|src|test)\/[\w./-]*[\w/](?![\w<])/g)].map(
    ([path]) => path,
  );
  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
