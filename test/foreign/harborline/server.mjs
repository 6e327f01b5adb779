// Harborline Trade Desk: partner service. node server.mjs PORT
import http from 'node:http'; import { randomUUID, randomBytes, createHmac } from 'node:crypto';

const KEY = 'hl_live_5b0c6d3a9e', CLIENT = { id: 'hl-client-1', secret: 'hl-secret-77' }, tokens = new Set();
const X = +(process.env.CONTRADICT ?? 0);                       // see ../contradictions/
const now = () => Date.now(), T0 = Date.UTC(2026, 2, 2, 8, 15, 30);
const money = cents => ({ value: cents / 100, unit: 'USD' });
const org = { number: '7d1f0a52-3c44-4a8e-9d10-5b6f2f0e7a01', name: 'Harborline Demo Broker', tier: 2, verified: true, opened: T0 };
const clients = new Map(), claims = new Map(), offers = new Map(), scans = new Map(), jobs = new Map(), hooks = new Map(), keys = new Map();
const deliveries = [], ledger = [];
['Acme Imports', 'Blue Fin Seafood', 'Cobalt Tools', 'Delta Ceramics', 'Elm Furniture', 'Fjord Optics', 'Granite Cycles', 'Harvest Foods'].forEach((name, i) => {
  const number = randomUUID(); clients.set(number, { number, name: name + ' Inc', importerNo: `12-34567${i}00`, active: i !== 3, phase: 10 + 10 * (i % 3), opened: T0 + i * 86400000, volume: money(1250050 + i * 99999) });
  const c = randomUUID(); claims.set(c, { number: c, clientNumber: number, progress: { code: 100 + i % 3, label: ['filed', 'reviewing', 'settled'][i % 3] }, refund: money(450025 + i * 1013), opened: T0 + i * 3600000 });
  if (i < 5) { const o = randomUUID(); offers.set(o, { number: o, claimNumber: c, advance: money(300000 + i * 50), ratePercent: 4.5 + i / 4, progress: { code: 200, label: 'open' }, expires: T0 + 90 * 86400000 }); }
  ledger.push({ number: randomUUID(), booked: T0 + i * 7200000, kind: i % 2 ? 'fee' : 'share', amount: money(12500 + i * 33), claimNumber: c });
});
{ const number = randomUUID(); scans.set(number, { number, progress: { code: 3, label: 'settled' }, entries: 412, flagged: 37, opened: T0, estimate: money(9876543) }); }
const seedHook = { id: X === 10 ? 'hook-1' : randomUUID(), label: 'Ledger mirror', url: 'https://hooks.example.com/harborline', subscribedEvents: ['partner.test', 'claim.updated'], environmentScope: 'production', secretPrefix: 'hls_0a1b', status: 'disabled', stamps: { lastDelivery: T0, lastSuccess: T0, lastFailure: null }, created: T0, secret: 'hls_0a1b2c3d' };
hooks.set(seedHook.id, seedHook);
['delivered', 'retrying', 'failed', 'queued'].forEach((status, i) => deliveries.push({ number: randomUUID(), hook: seedHook.id, event: 'partner.test', status, attemptCount: [1, 3, 8, 0][i], lastResponseStatus: [204, 503, 500, null][i], lastError: [null, 'upstream said 503', 'gave up', null][i], lastAttemptAt: i < 3 ? T0 + 60000 : null, nextAttemptAt: i === 1 ? T0 + 999000 : null, deliveredAt: i ? null : T0 + 60000 }));

// ---- diligence: a job moves by the number of reads of its status
const PHASES = [[1, 'accepted'], [2, 'analysing'], [2, 'analysing']];
const jobView = j => ({ job: { number: j.number, seller: j.seller, protestDocs: j.protest, progress: { code: j.code, label: j.label, percent: j.code < 2 ? 0 : j.code === 2 ? 50 : 100 }, rows: { all: j.rows.length, open: j.label === 'partial' ? j.rows.filter(r => r.includes('SBX-1')).length : 0 }, opened: j.opened, closed: j.closed, fee: money(j.rows.length * 275) } });
const step = j => { if (j.closed) return; const p = PHASES[j.polls++]; if (p) [j.code, j.label] = p; else { j.closed = now(); [j.code, j.label] = j.text.includes('SBX-3') ? [9, 'failed'] : j.text.includes('SBX-1') && !j.resumed ? [8, 'partial'] : [3, 'settled']; } };
const report = j => ({ report: { job: j.number, contract: '2026-03', ...(X === 5 ? { review: {} } : { rf8Review: { verdict: j.label === 'settled' ? 'eligible' : 'incomplete', score: 87.5, reviewed: j.closed, remarks: ['checked by rule set 8'], manual: false } }), sums: { entries: j.rows.length, duty: money(j.rows.length * 131075), refundable: money(j.rows.length * 65000) } } });
const dataset = j => ({ dataset: { job: j.number, contract: '2026-03', lines: j.rows.map((r, i) => ({ line: i + 1, entry: r.split(',')[0], duty: money(120000 + i * 100), eligible: i % 3 !== 2, seen: j.opened })) } });

// ---- webhooks
const sign = (secret, t, body) => { const s = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'); return X === 8 ? s.toUpperCase() : s; };
const hookView = ({ secret, ...h }) => ({ ...h, ...(X === 4 ? { status: 'paused' } : {}), ...(X === 6 ? { subscribedEvents: h.subscribedEvents.join(',') } : {}), ...(X === 7 ? { environmentScope: 'staging' } : {}) });
function emit(event, hook) {
  const body = JSON.stringify({ event: { name: event, number: randomUUID(), at: now(), sandbox: true }, body: { org: org.number, note: 'synthetic' } }), t = String(now());
  const headers = { 'Content-Type': 'application/json', 'X-Service-Event': event, 'X-Service-Timestamp': t, 'X-Service-Signature': sign(hook.secret, t, body) };
  const d = { number: randomUUID(), hook: hook.id, event, status: 'queued', attemptCount: 0, lastResponseStatus: null, lastError: null, lastAttemptAt: null, nextAttemptAt: null, deliveredAt: null }; deliveries.unshift(d);
  if (/^http:\/\/(127\.0\.0\.1|localhost)[:/]/.test(hook.url)) {   // this build never leaves the machine
    const done = (code, err) => { const ok = code >= 200 && code < 300; Object.assign(d, { status: ok ? 'delivered' : 'failed', attemptCount: 1, lastResponseStatus: code ?? null, lastError: ok ? null : err ?? 'status ' + code, lastAttemptAt: now(), deliveredAt: ok ? now() : null }); hook.stamps.lastDelivery = now(); hook.stamps[ok ? 'lastSuccess' : 'lastFailure'] = now(); };
    const q = http.request(hook.url, { method: 'POST', headers, timeout: 5000 }, r => { r.resume(); done(r.statusCode); }); q.on('error', e => done(undefined, e.code)); q.end(body); }
  return { delivery: d.number, hook: hook.id, headers, raw: body };
}

// ---- http
class Problem extends Error { constructor(status, key, text) { super(text); this.status = status; this.key = key; } }
const ALIAS = [['/broker/onboard', '/v1/partner-organizations/' + org.number, 'migration_only'], ['/broker/v1/onboard', '/v1/partner-organizations/' + org.number, 'long_term'], ['/broker/v1/webhooks/register', '/v1/webhooks/endpoints', 'long_term'], ['/broker/v1/portfolio/scan', '/v1/portfolio-scans', 'long_term'], ['/broker/v1/portfolio/delta-scan', '/v1/portfolio-scans', 'migration_only'],
  ...['clients', 'notifications', 'revenue/ledger', 'revenue/dashboard', 'claims', 'offers', 'litigation/enroll'].map(p => ['/broker/v1/' + p, '/v1/' + p, 'long_term'])];
const parts = (body, type) => { const b = /boundary="?([^";]+)/.exec(type)?.[1]; if (!b) throw new Problem(400, 'not-multipart', 'multipart form expected'); const out = {};
  for (const p of body.toString('latin1').split('--' + b)) { const m = /name="([^"]+)"[\s\S]*?\r\n\r\n([\s\S]*)\r\n$/.exec(p); if (m) out[m[1]] = Buffer.from(m[2], 'latin1').toString('utf8'); } return out; };
const page = (map, name, q) => { const n = Math.min(+(q.get('n') ?? 3), 50), p = +(q.get('p') ?? 1); if (!(p > 0) || !(n > 0)) throw new Problem(400, 'bad-page', 'p and n are numbers above 0'); const all = [...map.values()];
  return { [name]: Object.fromEntries(all.slice((p - 1) * n, p * n).map(x => [x.number, x])), paging: { p, n, pages: Math.ceil(all.length / n) } }; };
const find = (map, id, what) => map.get(id) ?? (() => { throw new Problem(404, 'unknown-' + what, `no ${what} ${id}`); })();
const add = (map, x) => { map.set(x.number, x); return x; };

async function route(m, path, q, req, body) {
  const json = () => { try { return JSON.parse(body); } catch { throw new Problem(400, 'no-json', 'the body is not JSON'); } }; let k;
  if (m === 'POST' && path === '/v1/oauth/token') { const f = new URLSearchParams(String(body)); if (f.get('client_id') !== CLIENT.id || f.get('client_secret') !== CLIENT.secret) throw new Problem(403, 'bad-client', 'client not known'); const t = 'hlt_' + randomBytes(12).toString('hex'); tokens.add(t); return [200, { token: { access_token: t, kind: 'Bearer', lives: 1800 } }]; }
  const cred = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1] ?? (path.startsWith('/api/diligence/') ? req.headers['x-api-key'] : undefined);
  if (cred !== KEY && !tokens.has(cred)) throw new Problem(403, 'who-are-you', 'credential missing or not known');
  path = path.replace(/^\/api\/diligence\//, '/v1/diligence/');
  switch (m + ' ' + path) {
    case 'GET /v1/clients': return [200, page(clients, 'clients', q)];
    case 'POST /v1/clients': { const b = json(); if (!b.name) throw new Problem(409, 'name-missing', 'name is needed'); return [201, { client: add(clients, { number: randomUUID(), name: b.name, importerNo: b.importerNo ?? null, active: true, phase: 10, opened: now(), volume: money(0) }) }]; }
    case 'GET /v1/claims': return [200, page(claims, 'claims', q)];
    case 'POST /v1/claims': { const b = json(); return [201, { claim: add(claims, { number: randomUUID(), clientNumber: b.clientNumber, progress: { code: 100, label: 'filed' }, refund: money(0), opened: now() }) }]; }
    case 'GET /v1/claims/status': { const c = find(claims, q.get('claimId'), 'claim'); return [200, { claim: { number: c.number, progress: c.progress, since: c.opened } }]; }
    case 'GET /v1/offers': return [200, page(offers, 'offers', q)];
    case 'POST /v1/offers': { const b = json(); return [201, { offer: add(offers, { number: randomUUID(), claimNumber: b.claimNumber, advance: b.advance ?? money(0), ratePercent: 5, progress: { code: 200, label: 'open' }, expires: now() + 864e5 }) }]; }
    case 'POST /v1/litigation/enroll': { const b = json(); return [202, { enrollment: { number: randomUUID(), claims: b.claims ?? [], progress: { code: 300, label: 'enrolled' } } }]; }
    case 'POST /v1/notifications': return [202, { notification: { number: randomUUID(), to: json().to ?? null, sent: false } }];
    case 'POST /v1/portfolio-scans': return [202, { scan: add(scans, { number: randomUUID(), progress: { code: 1, label: 'accepted' }, entries: 0, flagged: 0, opened: now(), estimate: money(0), delta: req.url.includes('delta') }) }];
    case 'GET /v1/revenue/ledger': return [200, { ledger, paging: { p: 1, n: ledger.length, pages: 1 } }];
    case 'GET /v1/revenue/dashboard': return [200, { dashboard: { earned: money(100924), pending: money(5025), claims: claims.size, asOf: now() } }];
    case 'GET /v1/webhooks/endpoints': return [200, { hooks: [...hooks.values()].map(h => X === 2 ? { ...hookView(h), signingSecret: h.secret } : hookView(h)) }];
    case 'POST /v1/webhooks/endpoints': { const b = json(); for (const f of ['label', 'url', 'subscribedEvents', 'environmentScope']) if (!b[f]) throw new Problem(409, f + '-missing', f + ' is needed'); const secret = 'hls_' + randomBytes(20).toString('hex');
      const h = { id: X === 10 ? 'hook-' + (hooks.size + 1) : randomUUID(), label: b.label, url: b.url, subscribedEvents: b.subscribedEvents, environmentScope: b.environmentScope, secretPrefix: secret.slice(0, 8), status: 'active', stamps: { lastDelivery: null, lastSuccess: null, lastFailure: null }, created: now(), secret }; hooks.set(h.id, h); return [200, { hook: hookView(h), secrets: { signingSecret: secret } }]; }
    case 'GET /v1/webhook-deliveries': { const p = +(q.get('p') ?? 1), n = +(q.get('n') ?? 20), all = deliveries.filter(d => !q.get('hook') || d.hook === q.get('hook')); return [200, { deliveries: all.slice((p - 1) * n, p * n).map(({ attemptCount, ...d }) => X === 1 ? d : X === 9 ? { ...d, attemptCount, status: d.status === 'failed' ? 'dead' : d.status } : { ...d, attemptCount }), paging: { p, n, pages: Math.max(1, Math.ceil(all.length / n)) } }]; }
    case 'POST /v1/sandbox/webhooks/test': { const b = json(); if (!['partner.test', 'partner.capability.changed', 'partner.environment.promoted', 'partner.credential.rotated'].includes(b.eventType)) throw new Problem(409, 'event-unknown', `no event ${b.eventType}`); const hit = [...hooks.values()].filter(h => h.status === 'active' && h.environmentScope !== 'production' && h.subscribedEvents.includes(b.eventType)); if (!hit.length) throw new Problem(409, 'nobody-listens', 'no hook takes this event'); return [200, { preview: { event: b.eventType, sent: hit.map(h => emit(b.eventType, h)) } }]; }
    case 'POST /v1/diligence/submit': { const f = parts(body, req.headers['content-type'] ?? ''); if (!f.seller_name || !f.file) throw new Problem(409, 'part-missing', 'seller_name and file are needed'); const idem = req.headers['idempotency-key']; let j = idem && keys.get(idem);
      if (!j) { j = { number: X === 12 ? 'job-' + (jobs.size + 1) : randomUUID(), seller: f.seller_name, protest: f.requires_protest_documentation === 'true', text: f.file, rows: f.file.split(/\r?\n/).slice(1).filter(Boolean), code: 0, label: 'accepted', polls: 0, opened: now(), closed: null }; jobs.set(j.number, j); if (idem) keys.set(idem, j); } return [X === 3 ? 200 : 202, jobView(j)]; }
    case 'GET /v1/docs/openapi': return ['raw', { openapi: '3.0.3', info: { title: 'Harborline partner API', version: '2026-03' }, paths: { '/v1/clients': { get: { parameters: [{ name: 'p', in: 'query', schema: { type: 'integer' } }, { name: 'n', in: 'query', schema: { type: 'integer' } }], responses: { 200: { description: 'clients by number' } } } }, '/v1/diligence/submit': { post: { parameters: [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }], responses: { 202: { description: 'queued' } } } }, '/v1/diligence/status/{jobId}': { get: { responses: { 200: { description: 'the job' } } } }, '/v1/webhooks/endpoints': { get: { responses: { 200: { description: 'hooks' } } } } } }];
  }
  if (k = /^\/v1\/diligence\/(status|report|dataset)\/([^/]+)$/.exec(path), k && m === 'GET') { const j = find(jobs, k[2], 'job'); if (k[1] === 'status') { step(j); return [200, jobView(j)]; } if (!j.closed) throw new Problem(423, 'job-open', 'come back when the job is settled'); if (j.label === 'failed') throw new Problem(410, 'job-failed', 'the job failed, there is nothing to read'); return [200, k[1] === 'report' ? report(j) : dataset(j)]; }
  if (k = /^\/v1\/diligence\/jobs\/([^/]+)\/resume$/.exec(path), k && m === 'POST') { const j = find(jobs, k[1], 'job'); if (!['partial', 'failed'].includes(j.label)) throw new Problem(409, 'nothing-to-resume', 'only partial or failed jobs'); Object.assign(j, { resumed: true, polls: 0, code: 1, label: 'accepted', closed: null }); return [200, jobView(j)]; }
  if (k = /^\/v1\/portfolio-scans\/([^/]+)(\/summary)?$/.exec(path), k && m === 'GET') { const s = find(scans, k[1], 'scan'); return [200, k[2] ? { summary: { scan: s.number, entries: s.entries, flagged: s.flagged, estimate: s.estimate } } : { scan: s }]; }
  if (k = /^\/v1\/partner-organizations\/([^/]+)$/.exec(path)) { if (k[1] !== org.number) throw new Problem(404, 'unknown-org', 'no such org'); if (m !== 'GET') { const b = json(); if (b.name) org.name = b.name; } return [200, { org }]; }
  throw new Problem(404, 'no-route', `${m} ${path} is not served`);
}
http.createServer((req, res) => { const chunks = []; req.on('data', c => chunks.push(c)); req.on('end', async () => {
  const u = new URL(req.url, 'http://x'); let path = u.pathname, status = 200, out; const extra = {};
  if (!/^\/(v1|api|broker)\//.test(path)) { res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }); res.end('<!doctype html><title>Harborline</title><form action="/login">Sign in</form>'); return; }   // the login page takes each other path
  let a = ALIAS.find(x => x[0] === path); const s = /^\/broker\/v1\/portfolio\/scan\/([^/]+)$/.exec(path); if (s) a = [path, '/v1/portfolio-scans/' + s[1], 'long_term']; if (path === '/broker/v1/portfolio/summary') a = [path, `/v1/portfolio-scans/${u.searchParams.get('scan')}/summary`, 'migration_only'];
  if (a) { Object.assign(extra, { 'X-Service-Broker-Alias': a[0], 'X-Service-Canonical-Path': a[1], 'X-Service-Compatibility-Lifecycle': X === 11 ? 'forever' : a[2] }); path = a[1]; }
  try { [status, out] = await route(req.method, path, u.searchParams, req, Buffer.concat(chunks)); out = status === 'raw' ? (status = 200, out) : { payload: out, trace: randomUUID() }; }
  catch (e) { status = e.status ?? 500; out = { problem: { key: e.key ?? 'broken', text: e.message, retry: status === 423 } }; }
  res.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', 'X-Trace': randomUUID(), ...extra }); res.end(JSON.stringify(out) + '\n');
}); }).listen(+(process.argv[2] ?? 0), '127.0.0.1', function () { console.log(JSON.stringify({ url: `http://127.0.0.1:${this.address().port}`, apiKey: KEY, clientId: CLIENT.id, clientSecret: CLIENT.secret })); });
process.on('SIGTERM', () => process.exit(0));
