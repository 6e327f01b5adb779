import type { Sandbox } from "../../../../sandbox/index.ts";
import type { Service } from "../../connection/service.ts";
import type { Block } from "../../output/output.ts";

export interface DemoContext {
  readonly service: Service;
  readonly sandbox: Sandbox;
}

/** What the demo prints: text, or what a command shows. */
export type DemoStep = string | readonly Block[];

export const showTitle = (title: string): DemoStep => [{ kind: "paragraph", title, lines: [] }];

/** The command that does the same as the next step. */
export const showCommand = (line: string): DemoStep => `\n  $ ${line}\n`;

export const showLine = (line: string): DemoStep => `  ${line}\n`;
