#!/usr/bin/env node
// node check.mjs NAME [--verbose]                      start the service, drive it, run facts and probes
// node check.mjs NAME --base URL --key KEY [--id S --secret S]   the same against a running server (a sandbox that imitates it)
// --ids JSON                                         ids that a sandbox has under other routes, such as partnerOrgId
// node check.mjs NAME --json                           one JSON document with each result
// CONTRADICT=n is passed on to the service. Exit 0: all passed. 7: something failed. 69: the language is missing ("NOT tested").
import http from 'node:http'; import { spawn } from 'node:child_process'; import { readFileSync } from 'node:fs';
import { createHmac, randomUUID } from 'node:crypto'; import { dirname, join } from 'node:path'; import { fileURLToPath } from 'node:url'; import zlib from 'node:zlib';
const here = dirname(fileURLToPath(import.meta.url)), argv = process.argv.slice(2), name = argv[0];
const opt = n => { const i = argv.indexOf('--' + n); return i < 0 ? undefined : argv[i + 1] ?? true; }, flag = n => argv.includes('--' + n);
const dir = join(here, name), drive = JSON.parse(readFileSync(join(dir, 'drive.json'))), choices = JSON.parse(readFileSync(join(dir, 'choices.json')));
const sleep = ms => new Promise(r => setTimeout(r, ms));
export const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
// ---------- kinds
const tx = re => v => typeof v === 'string' && re.test(v);
const D = '(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \\d{4} \\d{2}:\\d{2}:\\d{2} ';
const kinds = { uuid: tx(new RegExp('^' + UUID.source + '$', 'i')), integer: Number.isInteger, number: v => typeof v === 'number', 'integer text': tx(/^-?\d+$/),
  'decimal text': tx(/^-?\d+\.\d{2}$/), 'comma decimal text': tx(/^-?\d+,\d{2}$/), 'money text': tx(/^([A-Z]{3} -?\d+\.\d{2}|-?\d+\.\d{2} [A-Z]{3})$/),
  'epoch s': v => Number.isInteger(v) && v > 1e9 && v < 1e10, 'epoch ms': v => Number.isInteger(v) && v > 1e12 && v < 1e13, 'epoch s text': tx(/^\d{10}$/), 'epoch ms text': tx(/^\d{13}$/),
  rfc3339: tx(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/), 'rfc3339 Z': tx(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/), 'rfc3339 ms': tx(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  'offset time': tx(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d$/), rfc2822: tx(new RegExp('^' + D + '(GMT|[+-]\\d{4})$')), date: tx(/^\d{4}-\d\d-\d\d$/),
  boolean: v => typeof v === 'boolean', 'boolean text': tx(/^(true|false)$/), 'zero-one': v => v === 0 || v === 1, 'yes-no': tx(/^(yes|no)$/), 'Y-N': tx(/^[YN]$/),
  text: v => typeof v === 'string', url: tx(/^https?:\/\//), array: Array.isArray, map: v => v !== null && typeof v === 'object' && !Array.isArray(v), null: v => v === null };
const isKind = (k, v) => k.startsWith('word:') ? k.slice(5).split(',').includes(String(v)) && typeof v === 'string' : k.startsWith('number:') ? k.slice(7).split(',').map(Number).includes(v) : (kinds[k] ?? (() => { throw Error('no kind ' + k); }))(v);
// ---------- paths: "a.b.0.c", "*" = each element or each value, "" = the root; an array of keys if a key has a dot
const at = (doc, path) => { let now = [doc]; for (const p of Array.isArray(path) ? path : path === '' ? [] : path.split('.'))
  now = now.flatMap(v => v === null || typeof v !== 'object' ? [] : p === '*' ? Object.values(v) : Object.hasOwn(v, p) ? [v[p]] : []); return now; };
export const deep = (doc, key, out = []) => { if (doc && typeof doc === 'object') for (const [k, v] of Object.entries(doc)) { if (k === key) out.push(v); deep(v, key, out); } return out; };
// ---------- http
let base, key, ready; const given = JSON.parse(opt('ids') ?? '{}'); const agent = new http.Agent({ keepAlive: true });
export const send = (method, path, { headers = {}, body, auth = 'bearer' } = {}) => new Promise((ok, no) => {
  const h = { accept: 'application/json, */*;q=0.5', ...headers };
  if (auth === 'bearer') h.authorization ??= 'Bearer ' + key; if (auth === 'bad') h.authorization = 'Bearer wrong-' + randomUUID(); if (auth === 'x-api-key') h['x-api-key'] = key; if (auth?.token) h.authorization = 'Bearer ' + auth.token;
  if (body !== undefined) h['content-length'] = Buffer.byteLength(body); else if (method !== 'GET') h['content-length'] = 0;
  const u = new URL(base); const q = http.request({ host: u.hostname, port: u.port, method, path, headers: h, agent, timeout: 15000 }, r => { const b = []; r.on('data', c => b.push(c)); r.on('end', () => {
    let raw = Buffer.concat(b); if (r.headers['content-encoding'] === 'gzip') raw = zlib.gunzipSync(raw); ok(answer(r.statusCode, r.headers, raw)); }); r.on('error', no); });
  q.on('timeout', () => q.destroy(Error('timeout'))); q.on('error', no); q.end(body); });
const answer = (status, headers, raw) => { const text = raw.toString('utf8'); let json; try { json = JSON.parse(text.replace(/^\uFEFF/, '')); } catch { } return { status, headers, text, json }; };
// Valid in every service and in a sandbox. The columns are those that the sandbox assumes; the services read the first one.
const CSV = { head: 'entry_number,entry_type_code,importer_number,importer_name,entry_date,entry_summary_date,country_of_origin_code,entered_value,ieepa_duty_paid,liquidation_status,liquidation_date\n',
  row: n => `${n},01,00-4519380AA,Acme Imports Inc,2025-11-10,,VN,10000.00,2000.00,LIQUIDATED,2026-10-02\n`,
  file(kind) { return this.head + ['SBX-5000001-4', 'SBX-5000002-2', 'SBX-5000003-0', 'SBX-5000004-8', 'SBX-5000005-5', 'SBX-5000006-3', ...{ partial: ['SBX-1000001-3'], failed: ['SBX-3518785-2'] }[kind] ?? []].map(this.row).join(''); } };
export const multipart = (s = {}) => { const B = '----check' + randomUUID().slice(0, 8); const f = (n, v) => `--${B}\r\nContent-Disposition: form-data; name="${n}"\r\n\r\n${v}\r\n`;
  return { body: f('seller_name', s.seller ?? 'Seller ' + randomUUID().slice(0, 6)) + f('requires_protest_documentation', s.protest ?? 'true') + `--${B}\r\nContent-Disposition: form-data; name="file"; filename="entries.csv"\r\nContent-Type: text/csv\r\n\r\n${CSV.file(s.csv ?? 'ordinary')}\r\n--${B}--\r\n`,
    headers: { 'content-type': 'multipart/form-data; boundary=' + B } }; };
const pick = (r, place) => { if (!place) return; if (place.header) { const v = r.headers[place.header.toLowerCase()]; return place.lastSegment ? v?.split('?')[0].split('/').pop() : v; } return at(r.json, place.path)[0]; };
// ---------- drive: fills the placeholders
const vars = {}; const fill = v => typeof v === 'string' ? v.replace(/\{(\w+)\}/g, (m, k) => k === 'uuid' ? randomUUID() : vars[k] ?? m) : Array.isArray(v) ? v.map(fill) : v && typeof v === 'object' ? Object.fromEntries(Object.entries(v).map(([k, w]) => [fill(k), fill(w)])) : v;
const newJob = async (csv, path, auth) => { const m = multipart({ csv }); const r = await send('POST', path ?? '/v1/diligence/submit', { ...m, auth: auth ?? 'bearer' }); const id = pick(r, drive.jobId) ?? UUID.exec(r.text)?.[0] ?? UUID.exec(r.headers.location ?? '')?.[0]; return { r, id }; };
// Where time moves a job, and not the reads of its status: a read, and the wait until its state is another one.
const move = async id => { const read = async () => pick(await send('GET', '/v1/diligence/status/' + id), drive.state); const first = await read(); for (let i = 0; i < 150 && await read() === first; i++) await sleep(40); };
const toEnd = async id => { const seen = []; for (let i = 0; i < 60; i++) { const r = await send('GET', '/v1/diligence/status/' + id); const s = pick(r, drive.state); if (seen.at(-1) !== s) seen.push(s); if (drive.end.includes(s)) return { seen, r }; await sleep(40); if (opt('base') && i > 24) break; } if (opt('base')) return { seen, r: await send('GET', '/v1/diligence/status/' + id) }; throw Error(`job ${id} did not end: ${seen}`); };
const hooks = []; const receiver = http.createServer((q, s) => { const b = []; q.on('data', c => b.push(c)); q.on('end', () => { hooks.push({ raw: Buffer.concat(b), ...answer(0, q.headers, Buffer.concat(b)) }); s.writeHead(204); s.end(); }); });
// ---------- checks
const one = (c, r, other) => { c = fill(c); const rx = s => new RegExp(s); const bad = m => { throw Error(m); };
  if ('status' in c && ![c.status].flat().includes(r.status)) bad(`status ${r.status}, not ${c.status}`);
  if (c.contentType) { const ct = (r.headers['content-type'] ?? '').toLowerCase().replace(/\s/g, ''), want = c.contentType.toLowerCase().replace(/\s/g, ''); if (want.includes(';') ? ct !== want : ct.split(';')[0] !== want) bad(`content type ${ct}`); }
  if (c.header) { const v = r.headers[c.header.toLowerCase()]; if (c.absent === true ? v !== undefined : v === undefined || (c.matches && !rx(c.matches).test(v)) || ('equals' in c && v !== c.equals)) bad(`header ${c.header}: ${v}`); return; }
  if (c.bodyEmpty && r.text !== '') bad('body is not empty'); if (c.text && !rx(c.text).test(r.text)) bad(`text does not match ${c.text}: ${r.text.slice(0, 80)}`);
  if (typeof c.absent === 'string' || Array.isArray(c.absent)) for (const p of [c.absent].flat()) if (at(r.json, p).length) bad(`${p} is there`);
  if ('path' in c) { const all = at(r.json, c.path), v = all.filter(x => x !== null); if (c.kind === 'null') { if (!all.length || v.length) bad(`${c.path} is not null`); return; } if (!v.length) bad(`${c.path} is not there`);
    for (const x of v) { if (c.kind && !c.kind.split('|').some(k => isKind(k, x))) bad(`${c.path} = ${JSON.stringify(x)?.slice(0, 60)} is not ${c.kind}`); if ('equals' in c && JSON.stringify(x) !== JSON.stringify(c.equals)) bad(`${c.path} = ${JSON.stringify(x)}, not ${JSON.stringify(c.equals)}`);
      if (c.matches && !rx(c.matches).test(String(x))) bad(`${c.path} = ${x} does not match ${c.matches}`); if ('count' in c && Object.keys(x).length !== c.count) bad(`${c.path} has ${Object.keys(x).length} members, not ${c.count}`); if (c.keysKind && !Object.keys(x).every(k => isKind(c.keysKind, k))) bad(`${c.path}: keys are not ${c.keysKind}`); } }
  if (c.csv) { const lines = r.text.replace(/^\uFEFF/, '').split(/\r?\n/).filter(Boolean), cells = lines.map(l => l.split(c.csv.delimiter)); if (c.csv.columns && cells[0].join() !== c.csv.columns.join()) bad(`columns ${cells[0]}`); if (lines.length < 2) bad('no rows');
    if (c.csv.column) { const i = cells[0].indexOf(c.csv.column); if (i < 0) bad(`no column ${c.csv.column}`); for (const l of cells.slice(1)) if (!c.csv.kind.split('|').some(k => isKind(k, l[i]))) bad(`${c.csv.column} = ${l[i]}`); } if (c.csv.eol === 'crlf' && !/\r\n/.test(r.text)) bad('no CRLF'); }
  if (c.ndjson) for (const l of r.text.trim().split('\n')) { const x = at(JSON.parse(l), c.ndjson)[0]; if (!isKind(c.kind ?? 'text', x)) bad(`${c.ndjson} = ${x}`); }
  for (const w of ['same', 'differs']) if (w in c) { const g = z => JSON.stringify(String(c[w]).startsWith('header:') ? z.headers[c[w].slice(7).toLowerCase()] : at(z.json, c[w])); const [a, b] = [g(r), g(other)]; if (a === undefined || a === '[]') bad(`${c[w]} is not there`); if ((a === b) !== (w === 'same')) bad(`${c[w]}: ${a.slice(0, 50)} and ${b.slice(0, 50)}`); } };
const run = async p => { if (p.on === 'webhook') { if (!hooks.length) throw Error('no delivery arrived'); for (const c of [p.check].flat()) one(c, hooks.at(-1)); return; }
  if (p.fresh) { const j = await newJob(p.fresh === true ? 'ordinary' : p.fresh); vars.freshJobId = j.id; for (let i = 0; i < (p.polls ?? 0); i++) await (flag('slow') ? move(j.id) : send('GET', '/v1/diligence/status/' + j.id)); if (p.polls === 'end') await toEnd(j.id); }
  for (const t of p.take ?? []) { const r = await send('GET', fill(t.path)); const v = t.header ? new RegExp(t.matches).exec(r.headers[t.header.toLowerCase()] ?? '')?.[1] : at(r.json, t.at)[0]; if (v === undefined || v === null) throw Error(`nothing at ${t.at ?? t.header} of ${t.path}`); vars[t.as] = t.matches && !t.header ? new RegExp(t.matches).exec(v)?.[1] : v; }
  const q = { auth: p.auth ?? 'bearer', headers: fill(p.headers ?? {}) }; if (q.auth === 'oauth') q.auth = { token: vars.accessToken };
  if (p.submit) { const m = multipart(p.submit); q.body = m.body; Object.assign(q.headers, m.headers); } else if (p.json !== undefined) { q.body = JSON.stringify(fill(p.json)); q.headers['content-type'] ??= drive.jsonType ?? 'application/json'; } else if (p.form) { q.body = new URLSearchParams(fill(p.form)).toString(); q.headers['content-type'] = 'application/x-www-form-urlencoded'; }
  const path = fill(p.path), r = await send(p.method, path, q); if (p.followUp) { const o = await send('GET', fill(p.followUp)); for (const c of [p.check].flat()) one(c, o, r); return; }
  const other = p.repeat ? await send(p.method, path, q) : p.other ? await send('GET', fill(p.other)) : undefined; for (const c of [p.check].flat()) one(c, r, other); };
// ---------- documented facts of interface.md, looked for at any depth
const must = (c, m) => { if (!c) throw Error(m); };
const ALIASES = [['/broker/v1/onboard', 'long'], ['/broker/onboard', 'migration'], ['/broker/v1/clients', 'long'], ['/broker/v1/claims', 'long'], ['/broker/v1/offers', 'long'], ['/broker/v1/revenue/ledger', 'long'], ['/broker/v1/revenue/dashboard', 'long'], ['/broker/v1/portfolio/scan/{scanId}', 'long']];
const EVENTS = ['partner.test', 'partner.capability.changed', 'partner.environment.promoted', 'partner.credential.rotated'];
const facts = () => [
  ['submit answers 202', () => must(vars.submit.status === 202, 'status ' + vars.submit.status)], ['the job id is a UUID', () => must(kinds.uuid(vars.jobId), String(vars.jobId))],
  ['partial and failed are the words', () => { must(vars.partialSeen.at(-1) === 'partial' || /"partial"/.test(vars.partialText), vars.partialSeen + ''); must(vars.failedSeen.at(-1) === 'failed' || /"failed"/.test(vars.failedText), vars.failedSeen + ''); }],
  ['the report has rf8Review', async () => { for (const p of ['/v1', '/api']) { const r = await send('GET', p + '/diligence/report/' + vars.jobId); must(r.status === 200 && deep(r.json, 'rf8Review').length === 1, p + ' ' + r.status + ' ' + r.text.slice(0, 60)); } }],
  ['the dataset is served on both paths', async () => { for (const p of ['/v1', '/api']) must((await send('GET', p + '/diligence/dataset/' + vars.jobId)).status === 200, p); }],
  ['legacy submit and status, with X-API-Key', async () => { const j = await newJob('ordinary', '/api/diligence/submit', 'x-api-key'); must(j.r.status === 202 && UUID.test(j.id), 'submit ' + j.r.status); const s = await send('GET', '/api/diligence/status/' + j.id, { auth: 'x-api-key' }); must(s.status === 200, 'status ' + s.status); }],
  ['resume completes a partial job; not for a completed one', async () => { const j = await newJob('partial'); await toEnd(j.id); const r = await send('POST', `/v1/diligence/jobs/${j.id}/resume`); must(r.status < 300, 'resume ' + r.status); const e = await toEnd(j.id); must(!['partial', 'failed'].includes(e.seen.at(-1)) && !/"partial"/.test(e.r.text), e.seen + ''); const again = await send('POST', `/v1/diligence/jobs/${j.id}/resume`); must(again.status >= 400, 'resume of a completed job ' + again.status); }],
  ['the endpoint id is a UUID', () => must(kinds.uuid(vars.endpointId), String(vars.endpointId))],
  ['create returns signingSecret and the record', () => { const j = vars.created.json; must(vars.created.status < 300 && kinds.text(deep(j, 'signingSecret')[0]), 'no signingSecret'); record(j); }],
  ['the list has the records, never signingSecret', async () => { const r = await send('GET', '/v1/webhooks/endpoints'); must(!/signingSecret/.test(r.text), 'signingSecret in the list'); record(r.json); must(!r.text.includes(vars.secret), 'the secret is in the list'); }],
  ['deliveries have the seven fields and words', async () => { const r = await send('GET', '/v1/webhook-deliveries'); const n = deep(r.json, 'attemptCount').length; must(n > 0, 'no attemptCount'); for (const f of ['lastResponseStatus', 'lastError', 'lastAttemptAt', 'nextAttemptAt', 'deliveredAt']) must(deep(r.json, f).length === n, f);
    const w = deep(r.json, 'status').filter(x => typeof x === 'string'); must(w.length >= n && w.every(x => ['queued', 'delivered', 'retrying', 'failed'].includes(x)), 'status ' + w); }],
  ['the test event answers a signed preview with the four types only', async () => { must(vars.tested.status < 300, 'status ' + vars.tested.status); for (const t of EVENTS) { const r = await send('POST', '/v1/sandbox/webhooks/test' , { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ eventType: t, environment: 'sandbox' }) }); must(r.status < 300, t + ' ' + r.status); must(/[0-9a-f]{64}/.test(r.text), 'no signature in the preview'); } }],
  ['a delivery has the three headers and a valid signature', () => { must(hooks.length, 'no delivery'); const h = hooks.at(-1), t = h.headers['x-service-timestamp'], s = h.headers['x-service-signature']; must(EVENTS.includes(h.headers['x-service-event']) && t && s, 'headers'); must(createHmac('sha256', vars.secret).update(t + '.').update(h.raw).digest('hex') === s, 'signature'); }],
  ['aliases carry the three headers', async () => { for (const [p, l] of ALIASES) { const path = fill(p), r = await send('GET', path); must(r.status >= 200 && r.status < 300, path + ' ' + r.status); must(r.headers['x-service-broker-alias'] === path, path + ' alias header'); must(r.headers['x-service-canonical-path']?.startsWith('/v1/'), path + ' canonical'); must(r.headers['x-service-compatibility-lifecycle']?.startsWith(l), path + ' lifecycle'); } must((await send('GET', '/v1/clients')).headers['x-service-broker-alias'] === undefined, 'alias header on a canonical path'); }],
  ['oauth: form body, opaque bearer token', async () => { must(vars.accessToken, 'no token'); must((await send('GET', '/v1/clients', { auth: { token: vars.accessToken } })).status < 300, 'token refused'); }],
  ['a wrong credential and none are refused', async () => { for (const auth of ['bad', 'none']) must((await send('GET', '/v1/clients', { auth })).status >= 400, auth); }],
  ['read routes of section 4 answer', async () => { for (const p of ['/v1/clients', '/v1/claims', '/v1/offers', '/v1/claims/status?claimId={claimId}', '/v1/portfolio-scans/{scanId}', '/v1/portfolio-scans/{scanId}/summary', '/v1/partner-organizations/{partnerOrgId}', '/v1/revenue/ledger', '/v1/revenue/dashboard', '/broker/v1/portfolio/summary?{summaryQuery}']) must((await send('GET', fill(p))).status < 300, fill(p)); }],
  ['the contract route', async () => must((await send('GET', '/v1/docs/openapi')).status === (drive.openapi ?? 200), 'status')] ];
const record = j => { for (const f of ['id', 'label', 'url', 'subscribedEvents', 'environmentScope', 'secretPrefix', 'status']) must(deep(j, f).length, 'no ' + f); must(deep(j, 'subscribedEvents').every(Array.isArray), 'subscribedEvents is no array'); must(deep(j, 'environmentScope').every(x => ['sandbox', 'production', 'all'].includes(x)), 'environmentScope');
  must(deep(j, 'status').filter(x => typeof x === 'string').every(x => ['active', 'disabled', 'revoked'].includes(x)), 'status of an endpoint'); };
// ---------- main
let child; const stop = () => { child?.kill('SIGTERM'); agent.destroy(); receiver.close(); receiver.closeAllConnections?.(); }; process.on('SIGINT', () => { stop(); process.exit(130); });
try {
  if (opt('base')) { base = opt('base'); key = opt('key'); ready = { clientId: opt('id'), clientSecret: opt('secret') }; }
  else { child = spawn(drive.start[0], [...drive.start.slice(1), '0'], { cwd: dir, stdio: ['ignore', 'pipe', 'inherit'] }); ready = await new Promise((ok, no) => { let b = ''; child.on('error', no); child.on('exit', c => no(Error('exit ' + c))); child.stdout.on('data', d => { b += d; if (b.includes('\n')) ok(JSON.parse(b.split('\n')[0])); }); setTimeout(() => no(Error('not ready after 30 s')), 30000).unref(); }); base = ready.url; key = ready.apiKey; }
  await new Promise(r => receiver.listen(0, '127.0.0.1', r)); vars.receiver = `http://127.0.0.1:${receiver.address().port}/hook`;
  let j = await newJob('ordinary'); vars.submit = j.r; vars.jobId = j.id; await toEnd(j.id);
  j = await newJob('partial'); vars.partialJobId = j.id; let e = await toEnd(j.id); vars.partialSeen = e.seen; vars.partialText = e.r.text; j = await newJob('failed'); vars.failedJobId = j.id; e = await toEnd(j.id); vars.failedSeen = e.seen; vars.failedText = e.r.text;
  for (const [k, v] of Object.entries(drive.ids ?? {})) { if (given[k]) { vars[k] = given[k]; continue; } if (v.value) { vars[k] = fill(v.value); continue; } const r = v.post ? await send('POST', v.post, { headers: { 'content-type': drive.jsonType ?? 'application/json' }, body: JSON.stringify(fill(v.json)) }) : await send('GET', fill(v.from)), x = pick(r, v); vars[k] = v.key ? Object.keys(x ?? {})[0] : x; }
  if (ready.clientId) { const t = await send('POST', '/v1/oauth/token', { auth: 'none', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: new URLSearchParams({ grant_type: 'client_credentials', client_id: ready.clientId, client_secret: ready.clientSecret }).toString() }); vars.accessToken = pick(t, drive.token); vars.oauthId = ready.clientId; vars.oauthSecret = ready.clientSecret; }
  const J = { headers: { 'content-type': drive.jsonType ?? 'application/json' } }; vars.created = await send('POST', '/v1/webhooks/endpoints', { ...J, body: JSON.stringify({ label: 'Checker', url: vars.receiver, subscribedEvents: EVENTS, environmentScope: 'sandbox' }) });
  vars.endpointId = pick(vars.created, drive.endpointId) ?? deep(vars.created.json, 'id')[0]; vars.secret = deep(vars.created.json, 'signingSecret')[0];
  vars.tested = await send('POST', '/v1/sandbox/webhooks/test', { ...J, body: JSON.stringify({ eventType: 'partner.test', environment: 'sandbox' }) }); for (let i = 0; i < 50 && !hooks.length; i++) await sleep(50); await sleep(100);
  const out = []; const each = async (part, id, what, f) => { try { await f(); out.push({ part, id, ok: true }); } catch (x) { out.push({ part, id, ok: false, what, why: x.message }); } };
  const only = opt('only')?.split(','); if (!only) for (const [t, f] of facts()) await each('fact', t, t, f); for (const c of choices) if (!only || only.includes(c.id)) await each('choice', c.id, c.what, () => run(c.probe));
  const ids = new Set(choices.map(c => c.id)); if (ids.size !== choices.length) out.push({ part: 'file', id: 'ids are unique', ok: false, why: 'twice' }); const n = p => out.filter(x => x.part === p), g = p => n(p).filter(x => x.ok).length, failed = out.filter(x => !x.ok);
  if (flag('json')) console.log(JSON.stringify({ service: name, results: out })); else { for (const x of flag('verbose') ? out : failed) console.log(x.ok ? 'ok  ' : 'FAIL', x.part, x.id, x.ok ? '' : `: ${x.why}`); console.log(`${name}: facts ${g('fact')}/${n('fact').length}, choices ${g('choice')}/${n('choice').length}`); }
  process.exitCode = failed.length ? 7 : 0;
} catch (e) { if (e.code === 'ENOENT') { console.log(`${name}: NOT tested, ${drive.start[0]} is missing`); process.exitCode = 69; } else { console.error(`${name}: ${e.stack}`); process.exitCode = 1; } } finally { stop(); }
