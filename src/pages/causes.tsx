import { formatCount } from "../domain/numbers.ts";
import type { Explanation } from "../domain/webhooks/explain/explain.ts";
import { Badge, Code } from "./parts.tsx";

export const VerdictBadge = ({ verdict }: { readonly verdict: string }) => (
  <Badge tone={verdict === "valid" ? "ok" : "bad"}>{verdict.replace("_", " ")}</Badge>
);

/** The verdict, and each cause with its evidence and its fix. */
export const Causes = ({ verification: { verdict, reason, causes, remarks, tried } }: CausesProps) => (
  <div class="verdict" role="status">
    <p>
      <VerdictBadge verdict={verdict} /> {reason}
    </p>
    {causes.map(({ id, title, certainty, evidence, fix }) => {
      const [first, ...bytes] = evidence.split("\n");
      return (
        <article key={id}>
          <h3>
            {title} <Badge tone={certainty === "proved" ? "ok" : "due"}>{certainty}</Badge>
          </h3>
          <p>{first}</p>
          {bytes.length > 0 && <Code label="Evidence" text={bytes.join("\n")} />}
          <p>
            <b>Fix:</b> {fix}
          </p>
          <p class="note">
            <code>{id}</code>
          </p>
        </article>
      );
    })}
    {verdict === "mismatch" && causes.length === 0 && (
      <p>No known cause fits ({formatCount(tried, "variation")} tried).</p>
    )}
    {remarks.map(({ id, title, evidence }) => (
      <p key={id} class="note">
        Not the cause, but odd: {title} ({evidence})
      </p>
    ))}
  </div>
);

interface CausesProps {
  readonly verification: Explanation;
}
