import { type DefaultTreeAdapterMap, parse } from "parse5";

type Node = DefaultTreeAdapterMap["node"];

/** The elements of an HTML text with the names of their attributes, in order: `section class id > h2 > /h2 > /section`. */
export function outlineMarkup(html: string): string[] {
  const outline: string[] = [];
  const add = (node: Node): void => {
    if ("tagName" in node)
      outline.push([node.tagName, ...node.attrs.map(({ name }) => name).sort()].join(" "));
    const children =
      "content" in node ? node.content.childNodes : "childNodes" in node ? node.childNodes : [];
    for (const child of children) add(child);
    if (node.nodeName === "#comment") outline.push("#comment");
    if ("tagName" in node) outline.push(`/${node.tagName}`);
  };
  add(parse(html));
  return outline;
}
