import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../support/cli.ts";

it("docs/architecture.md names only existing files and folders", () => {
  const text = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");
  const paths = [...text.matchAll(/\b(?:bin|docs|fixtures|sandbox|src|test)\/[\w./-]*[\w/](?![\w<])/g)].map(
    ([path]) => path,
  );
  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
