import { render } from "preact";
import { formatAge } from "../../domain/numbers.ts";
import { Causes } from "../causes.tsx";
import { Section } from "../parts.tsx";
import { checkPasted, type LabResult, type Pasted } from "./check.ts";
import { FIELDS, type LabField } from "./lab.tsx";

/** Connects the fields of the lab with its result. */
export function connectLab(document: Document, now: () => number): void {
  const find = <T extends HTMLElement>(id: string): T => {
    const element = document.getElementById(id);
    if (!element) throw new Error(`the page has no ${id}`);
    return element as T;
  };
  const readers = Object.fromEntries(
    FIELDS.map((name) => [
      name,
      connectField(find(name), find(`${name}-file`), find<HTMLOutputElement>(`${name}-size`)),
    ]),
  ) as Record<LabField, () => Promise<Pasted>>;
  const result = find("result");
  const secret = find("secret");
  const show = find<HTMLInputElement>("show-secret");
  show.addEventListener("change", () => secret.classList.toggle("shown", show.checked));
  find("verify").addEventListener("click", async () => {
    render(<p>Trying…</p>, result);
    // The browser shows it before the search, which can take seconds for a large body.
    await new Promise((resolve) => setTimeout(resolve, 20));
    try {
      const input = { request: await readers.request(), secret: await readers.secret(), now: now() };
      render(<Result {...(await checkPasted(input))} />, result);
    } catch (error) {
      render(<Result problem={String(error)} hint="this is a bug of the page" />, result);
    }
  });
}

/** Connects a text box with the file that replaces it until the reader types. */
function connectField(text: HTMLTextAreaElement, file: HTMLInputElement, size: HTMLOutputElement) {
  file.addEventListener("change", () => {
    const [chosen] = file.files ?? [];
    size.value = chosen ? `${chosen.size} bytes` : "";
    if (chosen) text.value = "";
  });
  text.addEventListener("input", () => {
    file.value = "";
    size.value = "";
  });
  return async (): Promise<Pasted> => {
    const [chosen] = file.files ?? [];
    return chosen ? new Uint8Array(await chosen.arrayBuffer()) : text.value;
  };
}

export function Result(result: LabResult) {
  if (result.problem !== null)
    return (
      <p class="message failure" role="alert">
        {result.problem}: {result.hint}
      </p>
    );
  const { explanation, hasRestoredLineEnds } = result;
  const { ageSeconds } = explanation;
  return (
    <Section title="Result">
      <Causes verification={explanation} />
      {ageSeconds !== null && <p class="note">Signed {formatAge(ageSeconds, "this computer's clock")}.</p>}
      {hasRestoredLineEnds && (
        <p class="note">It matches with CRLF at the ends of its lines, which a text box shows as LF.</p>
      )}
    </Section>
  );
}
