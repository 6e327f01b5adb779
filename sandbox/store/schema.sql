-- The state of a sandbox. Times are milliseconds since 1970 (UTC) of the sandbox clock, amounts are integer cents.
-- Rows with a partner and an environment belong to them: another credential does not see them (product.md §5).

-- Managed credentials (interface §5.1) have no table, because every request needs one: credentials.ts has a Map.
CREATE TABLE partner (
  id INTEGER PRIMARY KEY
);

-- OAuth clients. Only approved ones get tokens (interface §5.3).
CREATE TABLE oauth_client (
  id            TEXT PRIMARY KEY,
  secret_digest TEXT NOT NULL,
  partner       INTEGER NOT NULL REFERENCES partner,
  approved      INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE access_token (
  digest      TEXT PRIMARY KEY,
  partner     INTEGER NOT NULL REFERENCES partner,
  has_expired INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE TABLE job (
  seq                            INTEGER PRIMARY KEY,
  id                             TEXT NOT NULL UNIQUE,
  partner                        INTEGER NOT NULL REFERENCES partner,
  environment                    TEXT NOT NULL,
  state                          TEXT NOT NULL,
  seller_name                    TEXT NOT NULL,
  requires_protest_documentation INTEGER NOT NULL,
  file_name                      TEXT,
  file_bytes                     INTEGER NOT NULL,
  as_of                          INTEGER NOT NULL, -- day since 1970
  run_count                      INTEGER NOT NULL DEFAULT 0,
  created_at                     INTEGER NOT NULL,
  started_at                     INTEGER,
  finished_at                    INTEGER,
  rows_total                     INTEGER,          -- null until the end of the file
  rows_processed                 INTEGER NOT NULL DEFAULT 0,
  entries_accepted               INTEGER NOT NULL DEFAULT 0,
  entries_rejected               INTEGER NOT NULL DEFAULT 0,
  failure                        TEXT,             -- JSON
  findings                       TEXT              -- JSON; null before the file has been read
);

-- Accepted entries, some hundred in a page. id = job.seq × 2³² + line of the first entry, so that the pages of a job are
-- neighbours in file order and a new page is appended. document: a JSON array with one array of values per entry. This
-- database is in SQLite's memory: sql.js keeps the main one as a file, which it copies each time it grows.
ATTACH ':memory:' AS bulk;
PRAGMA bulk.page_size = 16384;

CREATE TABLE bulk.entry_page (
  id       INTEGER PRIMARY KEY,
  document BLOB NOT NULL
);

-- The report on all entries, and where entries are deferred also the report without them.
CREATE TABLE report (
  job      INTEGER NOT NULL REFERENCES job,
  complete INTEGER NOT NULL,
  document BLOB NOT NULL, -- JSON without job id and contract version
  PRIMARY KEY (job, complete)
) WITHOUT ROWID;

-- Tasks that wait for the clock, which run in the order (due_at, seq). A follow-up task keeps the seq of the task before
-- it, so SQLite must not give out a seq twice.
CREATE TABLE bulk.agenda (
  seq     INTEGER PRIMARY KEY AUTOINCREMENT,
  due_at  INTEGER NOT NULL,
  kind    TEXT NOT NULL,
  subject TEXT NOT NULL
);

CREATE INDEX bulk.agenda_by_time ON agenda (due_at, seq);

-- Responses that a repeat with the same Idempotency-Key gets again.
CREATE TABLE stored_response (
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
  enrollment_id    TEXT NOT NULL,    -- shared by claims that were enrolled together
  partner          INTEGER NOT NULL REFERENCES partner,
  environment      TEXT NOT NULL,
  litigation_cents INTEGER NOT NULL,
  fee_cents        INTEGER NOT NULL,
  created_at       INTEGER NOT NULL
) WITHOUT ROWID;

-- The ledger. Rows do not change.
CREATE TABLE revenue (
  seq           INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  partner       INTEGER NOT NULL REFERENCES partner,
  environment   TEXT NOT NULL,
  type          TEXT NOT NULL,
  claim_id      TEXT NOT NULL REFERENCES claim (id),
  source_id     TEXT NOT NULL,    -- the offer or enrollment
  amount_cents  INTEGER NOT NULL,
  balance_cents INTEGER NOT NULL, -- after this row
  created_at    INTEGER NOT NULL
);

CREATE INDEX revenue_by_owner ON revenue (partner, environment, seq);

-- Requested notifications. The sandbox sends none (product.md §5).
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

-- The entries of completed jobs do not change, so the seqs of the jobs and a day identify what a scan examined.
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
  result      BLOB,             -- JSON; null before the scan has run
  failure     TEXT              -- JSON; instead of a result
);

-- Webhook endpoints belong to the partner in all its environments (product.md §5).
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

-- Events, deliveries and attempts grow with the traffic, so they are in the same database as the entries. SQLite has no
-- references between databases.
CREATE TABLE bulk.event (
  seq         INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  partner     INTEGER NOT NULL,
  type        TEXT NOT NULL,
  environment TEXT NOT NULL,
  body        BLOB NOT NULL,   -- the bytes that every attempt sends
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
