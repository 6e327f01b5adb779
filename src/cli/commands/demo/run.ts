import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import es003 from "../../../../fixtures/sample_es003.csv?text";
import type { Sandbox } from "../../../../sandbox/index.ts";
import { wrapCommand } from "../../../domain/wrap-text.ts";
import { startEmbeddedSandbox } from "../../connection/embedded-sandbox.ts";
import type { Context } from "../../context.ts";
import type { BaseInvocation } from "../../framework/command.ts";
import { renderForTerminal } from "../../output/blocks.ts";
import type { Output } from "../../output/output.ts";
import { sandboxEnvironment } from "../sandbox/env.ts";
import { createWorkspace } from "../sandbox/exec/child.ts";

/** The deadlines of the fixtures are near on this day. */
const DEMO_START = "2026-11-20T00:00:00Z";

/** The demo types commands, runs them in this process and a folder of its own, and shows what they print. */
export async function runDemo(context: Context, { global, onEnd }: BaseInvocation): Promise<Output> {
  const sandbox = await startEmbeddedSandbox(context, { jobSpeed: "real", frozenAt: DEMO_START });
  onEnd(() => sandbox.close());
  const { folder } = await createWorkspace(context, { onEnd });
  const result: Record<string, unknown> = {};
  // The same text for people and pipes; only the colour differs.
  const steps = runSteps(new DemoShell(context, sandbox, folder), sandbox, folder, result);
  if (!global.json) return { kind: "stream", isForTerminal: true, body: steps };
  for await (const _ of steps) context.signal.throwIfAborted();
  return { kind: "record", json: result, blocks: [] };
}

/** With its command and the title, a part of 24 lines. */
const MAX_SHOWN_LINES = 18;

/** A signature that does not verify, as the demo shows one. */
const EXPECTED_EXIT_CODES: readonly number[] = [0, 7];

/** Runs command lines, as written for a shell, against the sandbox of the demo. */
class DemoShell {
  readonly #context: Context;

  constructor(context: Context, sandbox: Sandbox, folder: string) {
    // A person's own settings do not matter.
    const env = {
      ...sandboxEnvironment(sandbox),
      CLAIMS_CONFIG_DIR: join(folder, "settings"),
      CLAIMS_NO_INPUT: "1",
    };
    this.#context = { ...context, env, cwd: folder };
  }

  /** The command and its output. */
  async *show(line: string): AsyncGenerator<string> {
    yield this.showCommand(line);
    const flag = this.#context.stdout.hasColour ? "--color" : "--no-color";
    const lines = (await this.#run(`${line} ${flag}`)).trimEnd().split("\n");
    const left = lines.length - MAX_SHOWN_LINES;
    const shown = left > 0 ? [...lines.slice(0, MAX_SHOWN_LINES), `  … ${left} more lines`] : lines;
    yield `${shown.join("\n")}\n`;
  }

  showTitle(title: string): string {
    return `\n${renderForTerminal([{ kind: "paragraph", title, lines: [] }], this.#context.stdout)}`;
  }

  showCommand(line: string): string {
    const width = this.#context.stdout.columns || Number.POSITIVE_INFINITY;
    return wrapCommand(`$ ${line}`, width - 2)
      .map((part) => `  ${part}\n`)
      .join("");
  }

  /** The document that the command prints with `--json`. */
  ask = async (line: string) => JSON.parse(await this.#run(`${line} --json`));

  async #run(line: string): Promise<string> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const texts = Promise.all([text(stdout), text(stderr)]);
    const [, ...words] = Array.from(line.matchAll(/"([^"]*)"|\S+/g), ([word, quoted]) => quoted ?? word);
    const { columns } = this.#context.stdout;
    const exitCode = await this.#context.run(words, {
      ...this.#context,
      stdout: { writable: stdout, isTerminal: true, columns },
      stderr: { writable: stderr, isTerminal: false, columns },
    });
    stdout.end();
    stderr.end();
    const [printed, problem] = await texts;
    if (EXPECTED_EXIT_CODES.includes(exitCode)) return printed;
    throw new Error(`${line}: ${problem}`);
  }
}

async function* runSteps(
  shell: DemoShell,
  sandbox: Sandbox,
  folder: string,
  result: Record<string, unknown>,
) {
  yield "A sandbox of the partner API is running in this process. Nothing leaves this\nmachine.\n";
  yield "Its clock shows 2026-11-20. Where you would wait, the demo advances the clock.\n";

  yield shell.showTitle("1  Submit an ES-003 export, the file that importers download from ACE");
  await writeFile(join(folder, "sample_es003.csv"), es003);
  yield* shell.show(
    'claims diligence submit sample_es003.csv --seller-name "Harbor & Pine Trading, LLC" --protest-docs -q',
  );
  yield* shell.show("claims diligence status --last --fields state");
  yield* shell.show("claims sandbox clock advance --to idle");
  yield* shell.show("claims diligence status --last --fields state");

  yield shell.showTitle("2  Read the report");
  yield* shell.show("claims diligence report --last");
  result.report = await shell.ask("claims diligence report --last");

  result.webhook = yield* demonstrateWebhook(shell, sandbox, folder);

  yield shell.showTitle("Your turn");
  yield shell.showCommand("claims sandbox up");
  yield "and in another terminal:\n";
  yield shell.showCommand("claims diligence submit YOUR.csv --seller-name NAME --wait");
}

/** Shows a retry of a delivery, and the effect of a changed body on its signature. */
async function* demonstrateWebhook(shell: DemoShell, sandbox: Sandbox, folder: string) {
  yield shell.showTitle("3  A webhook whose receiver is down at first");
  // The built-in receiver fails once, so that the demo shows a retry.
  const url = `${sandbox.url}/_sandbox/sink/demo?times=1`;
  yield* shell.show(
    `claims webhooks create "${url}" --label Demo --event partner.test --secret-file secret.txt -q`,
  );
  const [endpoint] = (await shell.ask("claims webhooks list")).data;
  yield* shell.show(`claims webhooks test partner.test --endpoint ${endpoint.id} -q`);
  const list = `claims webhooks deliveries --endpoint ${endpoint.id}`;
  yield* shell.show(list);
  const [before] = (await shell.ask(list)).data;
  yield* shell.show("claims sandbox clock advance --to next");
  yield* shell.show(list);
  const [after] = (await shell.ask(list)).data;

  yield shell.showTitle("4  Verify the delivery");
  const verify = `claims webhooks verify --delivery ${after.id} --secret-file secret.txt`;
  yield* shell.show(verify);

  yield shell.showTitle("5  Verify it with a body that was parsed and serialized again");
  const { body, attempts } = await sandbox.webhooks.delivery(after.id);
  const headers = (attempts.at(-1)?.headers ?? []).map((pair) => `${pair.join(": ")}\n`);
  await writeFile(join(folder, "headers.txt"), headers);
  await writeFile(join(folder, "printed.json"), `${JSON.stringify(JSON.parse(body ?? ""), null, 2)}\n`);
  yield shell.showCommand("jq . body.json > printed.json");
  const verifyPrinted =
    "claims webhooks verify --body printed.json --headers headers.txt --secret-file secret.txt";
  yield* shell.show(verifyPrinted);

  const { verdict } = await shell.ask(verify);
  const changed = await shell.ask(verifyPrinted);
  const causes = changed.causes.map(({ id }: { readonly id: string }) => id);
  return {
    endpointId: endpoint.id,
    deliveryId: after.id,
    states: [before.status, after.status],
    verdict,
    changed: { verdict: changed.verdict, causes },
  };
}
