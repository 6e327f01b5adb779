import { formatAge } from "../../domain/numbers.ts";
import { Causes } from "../causes.tsx";
import { Section } from "../parts.tsx";
import type { LabResult } from "./check.ts";

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
