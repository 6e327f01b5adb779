// The options and the members of startSandbox() as data, read from the declarations that check them. TypeDoc reads the same, but
// it needs the API of TypeScript 6, and 4 s of processor time.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseSync } from "rolldown/utils";

const FOLDER = resolve("sandbox/api");

/**
 * A node of the syntax tree.
 * @typedef {any} Node
 */
/** @typedef {{ name: string, type: string, summary: string }} Member */
/** @typedef {{ text: string, comments: readonly { value: string, end: number }[], node: Node }} Declaration */

export function readSandboxLibrary() {
  const interfaces = new Map(readdirSync(FOLDER).flatMap((name) => interfacesOf(join(FOLDER, name))));
  /** @param {string} name */
  const membersOf = (name) => {
    const found = interfaces.get(name);
    const nodes = /** @type {Node[]} */ (found?.node.body.body ?? []);
    return joinOverloads(nodes.flatMap((node) => (found ? [toMember(node, found)] : [])));
  };
  /** @param {string} name */
  const summaryOf = (name) => {
    const found = interfaces.get(name);
    return found ? summaryAt(found.node.start, found) : "";
  };
  return {
    options: membersOf("SandboxOptions"),
    members: membersOf("Sandbox").map((member) => ({
      ...member,
      summary: member.summary || summaryOf(member.type),
      members: membersOf(member.type),
    })),
  };
}

/** @param {string} path @returns {[name: string, declaration: Declaration][]} */
function interfacesOf(path) {
  const text = readFileSync(path, "utf8");
  const { program, comments } = parseSync(path, text);
  return /** @type {Node[]} */ (program.body).flatMap(({ declaration }) =>
    declaration?.type === "TSInterfaceDeclaration"
      ? [[declaration.id.name, { text, comments, node: declaration }]]
      : [],
  );
}

/** @param {Node} node @param {Declaration} declaration @returns {Member} */
function toMember({ start, end, key, type, typeAnnotation }, declaration) {
  const from = type === "TSMethodSignature" ? start : typeAnnotation.typeAnnotation.start;
  const written = declaration.text.slice(from, end).replace(/;$/, "");
  return {
    name: key.name,
    type: written.replace(/\breadonly /g, "").replace(/\s+/g, " "),
    summary: summaryAt(start, declaration),
  };
}

/** The doc comment in front of a position. @param {number} start @param {Declaration} declaration */
function summaryAt(start, { text, comments }) {
  const comment = comments.find(
    ({ end }) => /^\s*(export\s*)?$/.test(text.slice(end, start)) && end <= start,
  );
  return (comment?.value ?? "").replace(/^[*\s]+|\s+$/g, "").replace(/\s*\n\s*\*\s*/g, " ");
}

/** One member for the signatures of one name. @param {readonly Member[]} members */
function joinOverloads(members) {
  /** @type {Map<string, Member>} */
  const byName = new Map();
  for (const member of members) {
    const first = byName.get(member.name);
    byName.set(member.name, first ? { ...first, type: `${first.type}; ${member.type}` } : member);
  }
  return [...byName.values()];
}
