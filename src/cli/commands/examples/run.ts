import { writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { usageError } from "../../../domain/errors.ts";
import { quoteShellWord } from "../../../domain/shell.ts";
import { findClosest } from "../../../domain/text.ts";
import { EXAMPLES, type Example } from "../../capabilities/example-files.ts";
import type { Context } from "../../context.ts";
import { cannotWriteError, describeFileError } from "../../files/file-errors.ts";
import { createFolder } from "../../files/folders.ts";
import { readRegularFile } from "../../files/regular-file.ts";
import type { Invocation } from "../../framework/command.ts";
import { type Output, toListOutput } from "../../output/output.ts";
import { printMessage } from "../../output/stderr.ts";

type ExamplesCall = Pick<Invocation, "global"> & {
  readonly args: { readonly example: string | undefined };
  readonly options: { readonly out: string | undefined };
};

export async function runExamples(context: Context, call: ExamplesCall): Promise<Output> {
  const { args, options, global } = call;
  const { example: name } = args;
  const example = name === undefined ? null : findExample(name);
  if (options.out !== undefined) {
    if (!example)
      throw usageError("usage", "--out needs the name of an example", { hint: "see `claims examples`" });
    await writeExample(context, example, options.out);
    return { kind: "nothing" };
  }
  const { json, ndjson, csv, fields, quiet } = global;
  if (!example || json || ndjson || csv || fields || quiet)
    return listExamples(example ? [example] : EXAMPLES);
  const [text, ...more] = Object.values(example.files);
  if (text !== undefined && more.length === 0) return { kind: "stream", body: [text] };
  const names = Object.keys(example.files).join(", ");
  throw usageError("usage", `the example ${example.name} has several files: ${names}`, {
    hint: `write them with \`claims examples ${example.name} --out DIR\`, or name one of them`,
  });
}

const listExamples = (items: readonly Example[]): Output =>
  toListOutput({
    items,
    columns: [
      { name: "name", isId: true },
      { name: "summary", canWrap: true },
      { name: "files", value: ({ files }) => Object.keys(files), isHidden: true },
    ],
    toRecord: ({ files, ...rest }) => ({
      ...rest,
      files: Object.entries(files).map(([path, text]) => ({ path, text })),
    }),
    emptyMessage: "there are no examples",
  });

/** By the name of the example, or of a file, which is then its only one. */
function findExample(word: string): Example {
  const example = EXAMPLES.find(({ name }) => name === word);
  if (example) return example;
  for (const each of EXAMPLES) {
    const text = each.files[word];
    if (text !== undefined) return { ...each, files: { [word]: text } };
  }
  const closest = findClosest(
    word,
    EXAMPLES.map(({ name }) => name),
  );
  throw usageError("usage", `there is no example "${word}"`, {
    hint: closest ? `did you mean "claims examples ${closest}"?` : "see `claims examples`",
  });
}

/** Writes nothing if one of the files exists with another content. @throws ClaimsError `cannot_write` */
async function writeExample(context: Context, { files }: Example, folder: string): Promise<void> {
  const names = Object.keys(files).map((name) => join(folder, name));
  const missing: [path: string, text: string][] = [];
  for (const [name, text] of Object.entries(files)) {
    const path = resolve(context.cwd, folder, name);
    const found = await attempt(path, () => readRegularFile(path));
    if (found === null) missing.push([path, text]);
    else if (found !== text)
      throw usageError("cannot_write", `${join(folder, name)} exists, and differs from the example`, {
        hint: `name another folder, or compare: \`claims examples ${name} | diff ${quoteShellWord(join(folder, name))} -\``,
      });
  }
  for (const [path, text] of missing)
    await attempt(path, async () => {
      await createFolder(dirname(path));
      await writeFile(path, text, { flag: "wx" });
    });
  printMessage(context, `wrote ${names.join(", ")}`);
}

async function attempt<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw cannotWriteError(`cannot write ${path}: ${describeFileError(cause)}`, {
      hint: "name a folder that you may write to with --out",
      cause,
    });
  }
}
