/** The fields of the lab; the script finds them by their ids. */
export const FIELDS = ["request", "secret"] as const;

export type LabField = (typeof FIELDS)[number];

/** The signature lab without its result, which the script renders. Its fields have no names, so nothing can send them. */
export const Lab = () => (
  <div class="lab">
    <h1>Why does it not verify?</h1>
    <p>
      Paste the request as your receiver got it, and the signing secret. Nothing leaves this page: it may not
      connect to anything, and it stores nothing.
    </p>
    <noscript>
      <p class="message failure">This page needs its script, which your browser does not run.</p>
    </noscript>
    <Field
      name="request"
      label="Request"
      rows={12}
      note="Headers, an empty line, the body. Also a curl command, a HAR, an event of API Gateway, or a record of a log in JSON."
    />
    <Field
      name="secret"
      label="Signing secret"
      rows={2}
      note="The whole signingSecret of the endpoint, whsec_ included, exactly as your receiver has it."
    />
    <label>
      <input type="checkbox" id="show-secret" autocomplete="off" /> Show the secret
    </label>
    <p>
      <button type="button" id="verify">
        Verify
      </button>
    </p>
    <section id="result" aria-live="polite" aria-label="Result" />
  </div>
);

interface FieldProps {
  readonly name: LabField;
  readonly label: string;
  readonly rows: number;
  readonly note: string;
}

const Field = ({ name, label, rows, note }: FieldProps) => (
  <div>
    <label for={name}>
      <b>{label}</b>
    </label>
    <p class="note" id={`${name}-note`}>
      {note}
    </p>
    <textarea
      id={name}
      rows={rows}
      class={name}
      spellcheck={false}
      autocomplete="off"
      autocapitalize="off"
      aria-describedby={`${name}-note`}
    />
    <p>
      <label for={`${name}-file`}>or, byte for byte, from a file</label>{" "}
      <input type="file" id={`${name}-file`} /> <output id={`${name}-size`} />
    </p>
  </div>
);
