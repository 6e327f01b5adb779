// `npm pack` builds what it packs, also in a fresh clone, where it installs the packages for that first. Its stdout is the name of
// the tarball, so what this prints goes to stderr.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

if (!existsSync("node_modules/rolldown"))
  execFileSync("npm", ["ci", "--no-dry-run"], { stdio: ["ignore", 2, 2] });
await import("./build.js");
await import("./declarations/generate.js");
