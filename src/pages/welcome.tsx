import { Section } from "./parts.tsx";
import { StandaloneDocument } from "./standalone-document.tsx";

export interface WelcomeModel {
  readonly url: string;
  /** The route of the contract, as in `GET /v1/docs/openapi`. */
  readonly contractRoute: string;
  /** Whether this sandbox serves the inspector. */
  readonly hasInspector: boolean;
}

/** What a browser shows at the base URL: it says where everything is, and opens nothing. */
export const Welcome = ({ url, contractRoute, hasInspector }: WelcomeModel) => (
  <StandaloneDocument title="claims sandbox">
    <header class="top">
      <div class="masthead">
        <p class="brand">
          claims sandbox <code>{url}</code>
        </p>
      </div>
    </header>
    <main>
      <h1>A sandbox of the claims service is running here</h1>
      <p>
        Programs use this address as their base URL. <code>claims sandbox env</code> prints their credentials.
      </p>
      <Section title="The inspector">
        {hasInspector ? (
          <p>
            Run <code>claims sandbox inspect</code> in a terminal, and open the URL that it prints: pages with
            every request, job and webhook delivery of this sandbox.
          </p>
        ) : (
          <p>
            This sandbox can be reached from other machines, so it does not serve the inspector. Run{" "}
            <code>claims sandbox inspect --out run.html</code>, and open the file.
          </p>
        )}
      </Section>
      <Section title="The contract">
        <p>
          <code>{contractRoute}</code> returns the OpenAPI document; it needs a credential, which{" "}
          <code>claims contract fetch</code> sends. <code>claims contract assumptions</code> lists what it
          assumes.
        </p>
      </Section>
      <Section title="The documentation">
        <p>
          <code>claims help</code> lists the commands and topics. The guides are in the package, from{" "}
          <code>node_modules/claims-toolkit/docs/README.md</code>.
        </p>
      </Section>
    </main>
  </StandaloneDocument>
);
