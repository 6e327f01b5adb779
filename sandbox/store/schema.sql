-- The whole memory of a sandbox. Times are milliseconds since 1970 (UTC) of the sandbox clock, amounts integer cents.
-- A job belongs to a partner and an environment; whoever asks with another credential does not see it (product.md §5).

-- Managed credentials (interface §5.1) have no table: every request asks for one, so credentials.ts keeps them in a Map.
CREATE TABLE partner (
  id INTEGER PRIMARY KEY
);

-- OAuth clients; tokens are issued to approved ones only (interface §5.3).
CREATE TABLE oauth_client (
  id            TEXT PRIMARY KEY,
  secret_digest TEXT NOT NULL,
  partner       INTEGER NOT NULL REFERENCES partner,
  approved      INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE access_token (
  digest  TEXT PRIMARY KEY,
  partner INTEGER NOT NULL REFERENCES partner,
  expired INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE TABLE job (
  seq                 INTEGER PRIMARY KEY,
  id                  TEXT NOT NULL UNIQUE,
  partner             INTEGER NOT NULL REFERENCES partner,
  environment         TEXT NOT NULL,
  state               TEXT NOT NULL,
  seller_name         TEXT NOT NULL,
  protest_documents   INTEGER NOT NULL,
  file_name           TEXT,
  file_bytes          INTEGER NOT NULL,
  as_of               INTEGER NOT NULL, -- day since 1970
  run_count           INTEGER NOT NULL DEFAULT 0,
  created_at          INTEGER NOT NULL,
  started_at          INTEGER,
  finished_at         INTEGER,
  rows_total          INTEGER,          -- null until the end of the file is known
  rows_processed      INTEGER NOT NULL DEFAULT 0,
  entries_accepted    INTEGER NOT NULL DEFAULT 0,
  entries_rejected    INTEGER NOT NULL DEFAULT 0,
  failure             TEXT,             -- JSON
  findings            TEXT              -- JSON: what the one reading of the file found; null before it
);

-- Accepted entries, some hundred at a time. id = job.seq × 2³² + line of the first, so that a job's pages lie together
-- in file order and adding one is an append. document: JSON array with an array of values for each entry. A database of its own, in SQLite's memory: sql.js keeps
-- the main one as a file which it copies again and again while it grows.
ATTACH ':memory:' AS bulk;
PRAGMA bulk.page_size = 16384;

CREATE TABLE bulk.entry_page (
  id       INTEGER PRIMARY KEY,
  document BLOB NOT NULL
);

-- The report of the undisturbed run, and beside it the one without the deferred entries where there are any.
CREATE TABLE report (
  job      INTEGER NOT NULL REFERENCES job,
  complete INTEGER NOT NULL,
  document BLOB NOT NULL, -- JSON without job id and contract version
  PRIMARY KEY (job, complete)
) WITHOUT ROWID;

-- What waits on the clock. Rows run in the order (due_at, seq). A row keeps the seq of the one that it follows, so none
-- is ever given out twice.
CREATE TABLE bulk.agenda (
  seq     INTEGER PRIMARY KEY AUTOINCREMENT,
  due_at  INTEGER NOT NULL,
  kind    TEXT NOT NULL,
  subject TEXT NOT NULL
);

CREATE INDEX bulk.agenda_by_time ON agenda (due_at, seq);

-- Answers that a repeat with the same Idempotency-Key gets again.
CREATE TABLE idempotent_answer (
  partner     INTEGER NOT NULL REFERENCES partner,
  environment TEXT NOT NULL,
  operation   TEXT NOT NULL,
  key         TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status      INTEGER NOT NULL,
  headers     TEXT NOT NULL, -- JSON
  body        TEXT NOT NULL,
  expires_at  INTEGER NOT NULL,
  PRIMARY KEY (partner, environment, operation, key)
) WITHOUT ROWID;

-- What a partner keeps in one of its environments. Ids are unique, and nobody else sees the rows (product.md §5).
CREATE TABLE client (
  seq             INTEGER PRIMARY KEY,
  id              TEXT NOT NULL UNIQUE,
  partner         INTEGER NOT NULL REFERENCES partner,
  environment     TEXT NOT NULL,
  name            TEXT NOT NULL,
  importer_number TEXT,
  contact_email   TEXT,
  reference       TEXT,
  created_at      INTEGER NOT NULL
);

CREATE INDEX client_by_owner ON client (partner, environment, seq);

CREATE TABLE claim (
  seq                   INTEGER PRIMARY KEY,
  id                    TEXT NOT NULL UNIQUE,
  partner               INTEGER NOT NULL REFERENCES partner,
  environment           TEXT NOT NULL,
  client_id             TEXT NOT NULL REFERENCES client (id),
  job_id                TEXT NOT NULL UNIQUE REFERENCES job (id),
  status                TEXT NOT NULL,
  review_outcome        TEXT NOT NULL,
  entry_count           INTEGER NOT NULL,
  ieepa_duty_cents      INTEGER NOT NULL,
  interest_cents        INTEGER NOT NULL,
  estimated_claim_cents INTEGER NOT NULL,
  litigation_cents      INTEGER NOT NULL,
  by_grade              TEXT NOT NULL,    -- JSON
  created_at            INTEGER NOT NULL,
  financed_at           INTEGER,
  enrolled_at           INTEGER
);

CREATE INDEX claim_by_owner ON claim (partner, environment, seq);

CREATE TABLE offer (
  seq           INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  partner       INTEGER NOT NULL REFERENCES partner,
  environment   TEXT NOT NULL,
  claim_id      TEXT NOT NULL REFERENCES claim (id),
  status        TEXT NOT NULL,
  advance_cents INTEGER NOT NULL,
  fee_cents     INTEGER NOT NULL, -- of the advance
  by_grade      TEXT NOT NULL,    -- JSON
  created_at    INTEGER NOT NULL
);

CREATE INDEX offer_by_owner ON offer (partner, environment, seq);

CREATE TABLE enrolled_claim (
  claim_id         TEXT PRIMARY KEY REFERENCES claim (id),
  enrollment_id    TEXT NOT NULL,    -- of all that were enrolled together
  partner          INTEGER NOT NULL REFERENCES partner,
  environment      TEXT NOT NULL,
  litigation_cents INTEGER NOT NULL,
  fee_cents        INTEGER NOT NULL,
  created_at       INTEGER NOT NULL
) WITHOUT ROWID;

-- What was earned; a row is never changed.
CREATE TABLE revenue (
  seq           INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  partner       INTEGER NOT NULL REFERENCES partner,
  environment   TEXT NOT NULL,
  type          TEXT NOT NULL,
  claim_id      TEXT NOT NULL REFERENCES claim (id),
  source_id     TEXT NOT NULL,    -- of the offer or enrollment, as the type says
  amount_cents  INTEGER NOT NULL,
  balance_cents INTEGER NOT NULL, -- up to this row
  created_at    INTEGER NOT NULL
);

CREATE INDEX revenue_by_owner ON revenue (partner, environment, seq);

-- Nobody is notified: what was requested is kept (product.md §5).
CREATE TABLE notification (
  seq         INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  partner     INTEGER NOT NULL REFERENCES partner,
  environment TEXT NOT NULL,
  recipient   TEXT NOT NULL,
  subject     TEXT NOT NULL,
  message     TEXT NOT NULL,
  job         TEXT REFERENCES job (id),
  created_at  INTEGER NOT NULL
);

CREATE TABLE organization (
  partner       INTEGER NOT NULL REFERENCES partner,
  environment   TEXT NOT NULL,
  id            TEXT NOT NULL, -- the caller's choice
  name          TEXT NOT NULL,
  contact_name  TEXT NOT NULL,
  contact_email TEXT NOT NULL,
  country_code  TEXT NOT NULL,
  onboarded_at  INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  PRIMARY KEY (partner, environment, id)
) WITHOUT ROWID;

-- What a scan looked at: entries of completed jobs stay as they are, so the seqs of the jobs and a day say it all.
CREATE TABLE scan (
  seq         INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  partner     INTEGER NOT NULL REFERENCES partner,
  environment TEXT NOT NULL,
  state       TEXT NOT NULL,
  mode        TEXT NOT NULL,
  baseline    TEXT REFERENCES scan (id),
  jobs        TEXT NOT NULL,    -- JSON: seqs, the latest first
  as_of       INTEGER NOT NULL, -- day since 1970
  created_at  INTEGER NOT NULL,
  started_at  INTEGER,
  finished_at INTEGER,
  findings    BLOB,             -- JSON; null before the portfolio has been looked at
  failure     TEXT              -- JSON; in place of findings
);

-- Webhook endpoints belong to the partner, whatever the credential's environment (product.md §5).
CREATE TABLE bulk.endpoint (
  seq               INTEGER PRIMARY KEY,
  id                TEXT NOT NULL UNIQUE,
  partner           INTEGER NOT NULL,
  label             TEXT NOT NULL,
  url               TEXT NOT NULL,
  subscribed_events TEXT NOT NULL, -- JSON
  environment_scope TEXT NOT NULL,
  secret            TEXT NOT NULL,
  status            TEXT NOT NULL,
  created_at        INTEGER NOT NULL,
  last_delivery_at  INTEGER,
  last_success_at   INTEGER,
  last_failure_at   INTEGER,
  failing_since     INTEGER        -- the first failure after the last success
);

CREATE INDEX bulk.endpoint_by_partner ON endpoint (partner, seq);

-- Events, deliveries and attempts grow with the traffic, so they are kept beside the entries. SQLite has no references
-- from one database to another.
CREATE TABLE bulk.event (
  seq         INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  partner     INTEGER NOT NULL,
  type        TEXT NOT NULL,
  environment TEXT NOT NULL,
  body        BLOB NOT NULL,   -- the bytes of every attempt
  created_at  INTEGER NOT NULL
);

CREATE TABLE bulk.delivery (
  seq                  INTEGER PRIMARY KEY,
  id                   TEXT NOT NULL UNIQUE,
  event                INTEGER NOT NULL REFERENCES event,
  partner              INTEGER NOT NULL,
  endpoint             INTEGER NOT NULL,
  endpoint_id          TEXT NOT NULL,
  event_id             TEXT NOT NULL,
  event_type           TEXT NOT NULL,
  environment          TEXT NOT NULL,
  status               TEXT NOT NULL,
  scheduled_count      INTEGER NOT NULL DEFAULT 0, -- attempts of the schedule, without resends
  attempt_count        INTEGER NOT NULL DEFAULT 0,
  last_response_status INTEGER,
  last_error           TEXT,
  last_attempt_at      INTEGER,
  next_attempt_at      INTEGER,
  delivered_at         INTEGER,
  created_at           INTEGER NOT NULL
);

CREATE INDEX bulk.delivery_by_partner ON delivery (partner, seq);
CREATE INDEX bulk.delivery_by_endpoint ON delivery (endpoint_id, seq);
CREATE INDEX bulk.delivery_by_status ON delivery (partner, status, seq);
CREATE INDEX bulk.delivery_by_event ON delivery (event);
CREATE INDEX bulk.delivery_by_type ON delivery (partner, event_type, seq);

CREATE TABLE bulk.attempt (
  delivery         INTEGER NOT NULL REFERENCES delivery,
  number           INTEGER NOT NULL,
  trigger          TEXT NOT NULL,    -- schedule or resend
  at               INTEGER NOT NULL,
  duration_ms      INTEGER NOT NULL, -- wall time
  headers          TEXT NOT NULL,    -- JSON, as sent
  response_status  INTEGER,
  response_headers TEXT,             -- JSON
  response_excerpt BLOB,
  error_code       TEXT,
  error_detail     TEXT,
  PRIMARY KEY (delivery, number)
) WITHOUT ROWID;
