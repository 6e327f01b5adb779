import type { Target } from "../target.ts";
import { bytes } from "./bytes.ts";
import { control } from "./control.ts";
import { entries } from "./entries.ts";
import { files } from "./files.ts";
import { logs } from "./logs.ts";
import { pages } from "./pages.ts";
import { requests } from "./requests.ts";
import { responses } from "./responses.ts";
import { signatures } from "./signatures.ts";

/** Every surface that takes input of others. */
export const TARGETS: readonly Target[] = [
  requests,
  bytes,
  control,
  entries,
  signatures,
  responses,
  files,
  pages,
  logs,
];
