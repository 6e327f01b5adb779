import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts";
import { itEachFirst } from "../support/large.ts";
import { hasProgram, shellWithClaims } from "../support/shells.ts";

/** A line that the user is typing, and the completions of its last word in every shell. */
const CASES: readonly (readonly [line: string, completions: readonly string[]])[] = [
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

const ASSIGNMENT = ["claims api GET /x --environment=sa", "--environment=sandbox"] as const;

/** The completion script of each shell, as `claims completion` prints it. */
const scripts = new Map<string, string>();

/** Creates a folder with some files and with the shell's completion script as `script`. */
function setUpShell(name: "bash" | "zsh" | "fish") {
  const shell = shellWithClaims();
  const script = scripts.get(name) ?? shell.run("claims", "completion", name);
  scripts.set(name, script);
  writeFileSync(join(shell.folder, "script"), script);
  writeFileSync(join(shell.folder, "entries.csv"), "x\n");
  mkdirSync(join(shell.folder, "folder"));
  return shell;
}

/** The words of `${COMP_WORDS[@]}`: readline also splits at = and :. */
const splitBashWords = (line: string): string[] => [
  ...(line.match(/[=:]+|[^\s=:]+/g) ?? []),
  ...(line.endsWith(" ") ? [""] : []),
];

function completeInBash(line: string): string[] {
  const words = splitBashWords(line).map((word) => `'${word}'`);
  const script = `. ./script; complete -p claims > /dev/null || exit 1
    COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'; COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}
    COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}
    _claims; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return setUpShell("bash").run("bash", "--norc", "-c", script).split("\n").filter(Boolean);
}

/** The completions of fish, without the descriptions after the tab. */
const completeInFish = (line: string): string[] =>
  setUpShell("fish")
    .run("fish", "--no-config", "-c", `source ./script; complete -C '${line}'`)
    .split("\n")
    .filter(Boolean)
    .map((each) => each.replace(/\t.*/, ""));

/** The line after Tab in an interactive zsh on a pseudo terminal. */
function completeInZsh(line: string): string {
  const shell = setUpShell("zsh");
  writeFileSync(
    join(shell.folder, ".zshrc"),
    `autoload -Uz compinit; compinit -u -D; . ./script
     show() { print -r -- "$BUFFER" > line.txt; exit }; zle -N show; bindkey '^X' show; print ready`,
  );
  const script = `zmodload zsh/zpty; zpty it zsh -d -i; zpty -r it out '*ready*'
    zpty -w -n it $'${line}\\t\\x18'; while zpty -t it; do zpty -r it out || break; done; cat line.txt`;
  return shell.run("env", `ZDOTDIR=${shell.folder}`, "zsh", "-f", "-c", script).trim();
}

/** Describes the completion of a shell, or skips the tests if the shell is not installed. */
const describeCompletion = (shell: string, tests: () => void): void =>
  hasProgram(shell)
    ? void describe(`completion in ${shell}`, tests)
    : void describe.skip(
        `completion in ${shell}, which is not on this machine (.ci/shells installs it)`,
        tests,
      );

describeCompletion("bash", () => {
  itEachFirst(CASES)("%s", (line, completions) => {
    expect(completeInBash(line)).toEqual(completions.map((completion) => completion.replace(/\/$/, "")));
  });

  it("completes after = and after a URL, where readline splits words", () => {
    expect(completeInBash(ASSIGNMENT[0])).toEqual(["sandbox"]);
    expect(completeInBash("claims diligence status --base-url http://127.0.0.1:1/x --environment p")).toEqual(
      ["production"],
    );
  });
});

describeCompletion("fish", () => {
  itEachFirst(CASES)("%s", (line, completions) => {
    expect(completeInFish(line)).toEqual(completions);
  });

  it("completes after =", { tags: "large" }, () => {
    expect(completeInFish(ASSIGNMENT[0])).toEqual([ASSIGNMENT[1]]);
    expect(completeInFish("claims diligence report JOB --out=ent")).toEqual(["--out=entries.csv"]);
  });
});

describeCompletion("zsh", () => {
  // A new zsh with its completion system takes a second.
  itEachFirst(CASES.filter((_, index) => IS_EXHAUSTIVE || index % 3 === 1))(
    "%s",
    (line, [completion = ""]) => {
      expect(completeInZsh(line)).toBe(line.replace(/\S+$/, completion));
    },
  );

  it("completes after =", { tags: "large" }, () => {
    expect(completeInZsh(ASSIGNMENT[0])).toBe(ASSIGNMENT[0].replace(/\S+$/, ASSIGNMENT[1]));
    expect(completeInZsh("claims diligence report JOB --out=ent")).toBe(
      "claims diligence report JOB --out=entries.csv",
    );
  });
});
