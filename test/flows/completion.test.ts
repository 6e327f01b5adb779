import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasProgram, shellWithClaims } from "../support/shells.ts";

/** What every shell must make of a line whose end is being typed. */
const LINES: readonly (readonly [line: string, fits: readonly string[]])[] = [
  ["claims dili", ["diligence"]],
  ["claims diligence sub", ["submit"]],
  ["claims diligence report --js", ["--json"]],
  ["claims diligence submit entries.csv --fail-on dec", ["declined"]],
  ["claims api GET /x --environment sa", ["sandbox"]],
  ["claims help exit", ["exit-codes"]],
  ["claims diligence check ent", ["entries.csv"]],
  ["claims diligence pull JOB --dir fol", ["folder/"]],
  ["claims completion fi", ["fish"]],
];

const ASSIGNED = ["claims api GET /x --environment=sa", "--environment=sandbox"] as const;

/** The completion script of each shell, as `claims completion` prints it. */
const scripts = new Map<string, string>();

/** A folder with some files, and the shell's completion script in `script`. */
function place(name: "bash" | "zsh" | "fish") {
  const shell = shellWithClaims();
  const script = scripts.get(name) ?? shell.run("claims", "completion", name);
  scripts.set(name, script);
  writeFileSync(join(shell.folder, "script"), script);
  writeFileSync(join(shell.folder, "entries.csv"), "x\n");
  mkdirSync(join(shell.folder, "folder"));
  return shell;
}

/** bash splits at = and : too; `${COMP_WORDS[@]}` is made as readline makes it. */
const bashWords = (line: string): string[] => [
  ...(line.match(/[=:]+|[^\s=:]+/g) ?? []),
  ...(line.endsWith(" ") ? [""] : []),
];

function inBash(line: string): string[] {
  const words = bashWords(line).map((word) => `'${word}'`);
  const script = `. ./script; complete -p claims > /dev/null || exit 1
    COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'; COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}
    COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}
    _claims; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return place("bash").run("bash", "--norc", "-c", script).split("\n").filter(Boolean);
}

/** fish offers what fits with its description after a tab. */
const inFish = (line: string): string[] =>
  place("fish")
    .run("fish", "--no-config", "-c", `source ./script; complete -C '${line}'`)
    .split("\n")
    .filter(Boolean)
    .map((each) => each.replace(/\t.*/, ""));

/** A real zsh at a real terminal: the line as it stands after Tab. */
function inZsh(line: string): string {
  const shell = place("zsh");
  writeFileSync(
    join(shell.folder, ".zshrc"),
    `autoload -Uz compinit; compinit -u -D; . ./script
     show() { print -r -- "$BUFFER" > line.txt; exit }; zle -N show; bindkey '^X' show; print ready`,
  );
  const script = `zmodload zsh/zpty; zpty it zsh -d -i; zpty -r it out '*ready*'
    zpty -w -n it $'${line}\\t\\x18'; while zpty -t it; do zpty -r it out || break; done; cat line.txt`;
  return shell.run("env", `ZDOTDIR=${shell.folder}`, "zsh", "-f", "-c", script).trim();
}

/** A group of tests that says so where it cannot run. */
const completionIn = (shell: string, tests: () => void): void =>
  hasProgram(shell)
    ? void describe(`completion in ${shell}`, tests)
    : void describe.skip(
        `completion in ${shell}, which is not on this machine (.ci/shells installs it)`,
        tests,
      );

completionIn("bash", () => {
  it.each(LINES)("%s", (line, fits) => {
    expect(inBash(line)).toEqual(fits.map((fit) => fit.replace(/\/$/, "")));
  });

  it("offers all there is for an empty word, and no flag twice", () => {
    expect(inBash("claims ")).toEqual(expect.arrayContaining(["diligence", "sandbox", "api", "help"]));
    const flags = inBash("claims diligence submit x.csv --wait --");
    expect(flags).toContain("--seller-name");
    expect(flags).not.toContain("--wait");
  });

  it("completes behind = and past a URL, where readline splits words", () => {
    expect(inBash(ASSIGNED[0])).toEqual(["sandbox"]);
    expect(inBash("claims diligence status --base-url http://127.0.0.1:1/x --environment p")).toEqual([
      "production",
    ]);
  });
});

completionIn("fish", () => {
  it.each(LINES)("%s", (line, fits) => {
    expect(inFish(line)).toEqual(fits);
  });

  it("completes behind =", () => {
    expect(inFish(ASSIGNED[0])).toEqual([ASSIGNED[1]]);
    expect(inFish("claims diligence report JOB --out=ent")).toEqual(["--out=entries.csv"]);
  });
});

completionIn("zsh", () => {
  it.each(LINES)("%s", (line, [fit = ""]) => {
    expect(inZsh(line)).toBe(line.replace(/\S+$/, fit));
  });

  it("completes behind =", () => {
    expect(inZsh(ASSIGNED[0])).toBe(ASSIGNED[0].replace(/\S+$/, ASSIGNED[1]));
    expect(inZsh("claims diligence report JOB --out=ent")).toBe(
      "claims diligence report JOB --out=entries.csv",
    );
  });
});
