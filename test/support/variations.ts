import { expect } from "vitest";
import { seededRandom } from "../../sandbox/engine/random.ts";
import { chooseVariants } from "../../sandbox/engine/service/grease/variants.ts";
import type { OperationId, Sandbox, SandboxOptions } from "../../sandbox/index.ts";
import { TABLES } from "../../sandbox/store/schema.ts";
import { GREASE_DIMENSIONS, type GreaseDimension } from "../../src/contract/grease.ts";
import { type CliResult, runCli } from "./cli.ts";
import { IS_EXHAUSTIVE } from "./exhaustive.ts";
import { controlEnvironmentOf, sandboxForTest } from "./sandbox.ts";

/** Seeds that together cover every variant of every dimension and every unknown name, when all dimensions vary. */
export const SEEDS = [3, 12, 270, 531, 1143] as const;

/** The seed of a dimension that varies alone. */
const SINGLE_DIMENSION_SEED = 531;

/** A service that differs from the default sandbox in what the interface does not specify (grease, RFC 8701). */
export interface Variation {
  readonly options: { readonly grease: readonly GreaseDimension[]; readonly seed: number };
  readonly choices: ReturnType<typeof chooseVariants>;
}

function createVariation(grease: readonly GreaseDimension[], seed: number): TitledVariation {
  const choices = chooseVariants(grease, seededRandom(seed));
  const [first] = grease;
  const title =
    grease.length === 1 && first
      ? `a service with ${first}=${choices[first]}`
      : `a service that varies everything, seed ${seed}`;
  return [title, { options: { grease, seed }, choices }];
}

type TitledVariation = readonly [title: string, variation: Variation];

/** All dimensions at once. */
const COMBINED: readonly TitledVariation[] = SEEDS.map((seed) => createVariation(GREASE_DIMENSIONS, seed));

/** All dimensions at once. In exhaustive tests, each dimension alone too, which shows the one that a failure comes from. */
export const VARIATIONS: readonly TitledVariation[] = IS_EXHAUSTIVE
  ? [
      ...GREASE_DIMENSIONS.map((dimension) => createVariation([dimension], SINGLE_DIMENSION_SEED)),
      ...COMBINED,
    ]
  : COMBINED;

/** All dimensions at once, with the fewest seeds that together cover every variant of these dimensions. */
export function variationsCovering(...dimensions: readonly GreaseDimension[]): readonly TitledVariation[] {
  const variantsOf = ([, { choices }]: TitledVariation) =>
    dimensions.map((dimension) => `${dimension}=${choices[dimension]}`);
  const uncovered = new Set(COMBINED.flatMap(variantsOf));
  const chosen: TitledVariation[] = [];
  while (uncovered.size > 0) {
    const gain = (each: TitledVariation) =>
      variantsOf(each).filter((variant) => uncovered.has(variant)).length;
    const best = COMBINED.reduce((one, other) => (gain(other) > gain(one) ? other : one));
    for (const variant of variantsOf(best)) uncovered.delete(variant);
    chosen.push(best);
  }
  return chosen;
}

/** Starts a sandbox with that variation until the end of the test, and returns functions that run commands against it. */
export async function startVariedService({ options }: Variation, more: SandboxOptions = {}) {
  const sandbox = await sandboxForTest({ ...options, ...more });
  const env = controlEnvironmentOf(sandbox);
  const cwd = env.HOME ?? "";
  const claims = (...args: string[]) => runCli(args, { env, cwd });
  /** Runs a command that must end with this exit code. */
  const exits = async (code: number, ...args: string[]): Promise<CliResult> => {
    const result = await claims(...args);
    expect(result.code, `claims ${args.join(" ")}\n${result.stdout}\n${result.stderr}`).toBe(code);
    return result;
  };
  /** Runs a command that must succeed, and returns the one id that it prints. */
  const idOf = async (...args: string[]): Promise<string> => {
    const { stdout } = await exits(0, ...args, "-q");
    expect(stdout, args.join(" ")).toMatch(/^\S+\n$/);
    return stdout.trim();
  };
  return { sandbox, env, cwd, claims, exits, idOf };
}

/** A row of the sandbox's store, by column. */
type Row = Readonly<Record<string, unknown>>;

const findColumnNames = (table: string): readonly string[] =>
  TABLES.find(({ name }) => name === table)?.columnNames ?? [];

/** The stored rows of the sandbox's first partner, independent of any API response. */
export async function readStoredRows(sandbox: Sandbox, table: string): Promise<Row[]> {
  const rows: Row[] = [];
  let names: readonly string[] | null = null;
  for (const line of [...(await sandbox.snapshots.export("now"))].join("").trim().split("\n")) {
    const part = JSON.parse(line) as { table?: string; rows?: unknown[][] };
    // The cells of a snapshot are in the order of the columns.
    if (part.table !== undefined)
      names = part.table.endsWith(`.${table}`) ? findColumnNames(part.table) : null;
    for (const cells of names === null ? [] : (part.rows ?? []))
      rows.push(Object.fromEntries((names ?? []).map((name, index) => [name, cells[index]])));
  }
  const { partner } = rows[0] ?? {};
  return partner === undefined
    ? rows
    : rows.filter((row) => row.partner === 1 && row.environment !== "production");
}

/** The ids of {@link storedRows}, sorted. */
export const readStoredIds = async (sandbox: Sandbox, table: string): Promise<string[]> =>
  (await readStoredRows(sandbox, table)).map(({ id }) => String(id)).toSorted();

/** The body of the latest response to an operation, as the sandbox sent it. */
export async function findLastResponse(sandbox: Sandbox, operation: OperationId) {
  const entry = (await sandbox.requests.list({ operation, limit: 1 })).at(-1);
  if (!entry) throw new Error(`no request to ${operation}`);
  return { ...entry, text: entry.responseBody?.text ?? "" };
}

/** Lines of stdout, sorted. */
export const sortLines = ({ stdout }: CliResult): string[] => stdout.split("\n").filter(Boolean).toSorted();
