// kontor: the partner gateway of a customs broker, behind nginx. node server.mjs PORT
import http from 'node:http';
import crypto from 'node:crypto';

const credential = 'kontor.sandbox.8812', oauth = { id: 'kontor-oauth', secret: 'k0nt0r' }, live = new Set();
const sec = (ms = Date.now()) => Math.floor(ms / 1000), START = 1769000000;
const uid = () => crypto.randomUUID();
const db = { clients: [], claims: [], offers: [], ledger: [], scans: [], hooks: [], deliveries: [], jobs: {} };
const organization = { uid: uid(), firm: 'Kontor Test Forwarding', is_broker: 1, since: START, country: 'US' };
const CLAIM = ['', 'received', 'in_work', 'granted'];
for (const [i, firm] of ['Amber Glass', 'Bolt & Nut', 'Copper Kettle', 'Dragon Toys', 'Eagle Lamps', 'Fern Textiles', 'Gull Sails', 'Hazel Chairs', 'Ivory Keys', 'Juniper Gin'].entries()) {
  const c = { uid: uid(), firm, importer_id: '55-000' + (100 + i), locked: i === 4 ? 1 : 0, grade: 1 + i % 3, since: START + i * 86400, duties_cents: 880011 + i * 707 };
  db.clients.push(c);
  const claim = { uid: uid(), client_uid: c.uid, stage: 1 + i % 3, stage_text: CLAIM[1 + i % 3], claimed_cents: 310099 + i * 11, entries: 2 + i, received: START + i * 3600, appealed: i % 2 };
  db.claims.push(claim);
  if (i < 5) db.offers.push({ uid: uid(), claim_uid: claim.uid, payout_cents: 200050 + i, fee_bp: 350 + 25 * i, open: i === 2 ? 0 : 1, ends: START + 9e6 });
  db.ledger.push({ uid: uid(), claim_uid: claim.uid, cents: i % 4 ? 5050 + i : -700 - i, posted: START + i * 60, sort: i % 4 ? 'commission' : 'storno' });
}
db.scans.push({ uid: uid(), done: 1, checked: 640, hits: 71, begun: START, sum_cents: 7712345 });
const old = { id: uid(), label: 'Archive', url: 'https://archive.example.net/in', subscribedEvents: ['partner.capability.changed', 'claim.updated'], environmentScope: 'all', secretPrefix: 'ks_11', status: 'disabled', made: START, delivery_last: START + 50, success_last: START + 50, failure_last: START + 90 };
db.hooks.push({ view: old, secret: 'ks_11' + 'f'.repeat(30) });
[['delivered', 1, 201, null], ['retrying', 4, 500, 'HTTP 500'], ['failed', 10, 404, 'HTTP 404'], ['queued', 0, null, null]].forEach(([status, attemptCount, code, lastError], i) =>
  db.deliveries.push({ uid: uid(), webhook_id: old.id, type: 'partner.capability.changed', status, attemptCount, lastResponseStatus: code, lastError, lastAttemptAt: attemptCount ? START + 50 + i : null, nextAttemptAt: status === 'retrying' ? START + 999 : null, deliveredAt: status === 'delivered' ? START + 50 : null }));

// An answer is [status, body, headers]; a string body is plain text, null is no body.
const stop = (status, code, text, headers = {}) => { throw { answer: [status, `${code}: ${text}`, { 'Content-Type': 'text/plain; charset=utf-8', ...headers }] }; };
const need = (list, id, what) => list.find(x => x.uid === id) ?? stop(404, 'E-404', `no ${what} with this uid`);
const slice = (list, q, a, b, size = 3) => { const from = Number(q.get(a) ?? 0), n = Number(q.get(b) ?? size); if (!Number.isInteger(from) || from < 0 || !Number.isInteger(n) || n < 1) stop(400, 'E-410', `${a} or ${b} is wrong`); return [list.slice(from, from + n), from, n]; };

const PHASES = ['waiting', 'calculating', 'ready', 'partial', 'failed'];
const jobView = j => ({ uid: j.uid, phase: j.phase, phase_text: PHASES[j.phase], seller: j.seller, protest: j.protest, lines: j.lines.length, lines_left: j.phase === 3 ? 1 : 0, begun: j.begun, ended: j.ended, fee_cents: j.lines.length * 150 });
function tick(j) { if (j.ended) return; j.asked += 1; if (j.asked === 1) j.phase = 0; else if (j.asked < 4) j.phase = 1; else { j.ended = sec(); j.phase = j.file.includes('SBX-3') ? 4 : j.file.includes('SBX-1') && !j.again ? 3 : 2; } }
const job = id => db.jobs[id] ?? stop(404, 'E-404', 'no job with this uid');
function closed(j) { if (!j.ended) stop(425, 'E-425', `job is ${PHASES[j.phase]}`); if (j.phase === 4) stop(404, 'E-455', 'job failed, nothing was kept'); return j; }
const comma = cents => (cents / 100).toFixed(2).replace('.', ',');

function post(hook, type) {
  const id = uid(), payload = JSON.stringify({ id, type, ts: sec(), test: 1, content: { broker: organization.uid } }), ts = (Date.now() / 1000).toFixed(3);
  const signature = crypto.createHmac('sha256', hook.secret).update(ts + '.' + payload).digest('hex'), v = hook.view;
  const d = { uid: uid(), webhook_id: v.id, type, status: 'queued', attemptCount: 0, lastResponseStatus: null, lastError: null, lastAttemptAt: null, nextAttemptAt: null, deliveredAt: null };
  db.deliveries.push(d);
  const after = (code, error) => { const good = code > 199 && code < 300; Object.assign(d, { status: good ? 'delivered' : 'failed', attemptCount: 1, lastResponseStatus: code, lastError: good ? null : error ?? 'HTTP ' + code, lastAttemptAt: sec(), deliveredAt: good ? sec() : null }); v.delivery_last = sec(); v[good ? 'success_last' : 'failure_last'] = sec(); };
  if (/^https?:\/\/(127\.0\.0\.1|localhost)(:|\/|$)/.test(v.url)) { const r = http.request(v.url, { method: 'POST', headers: { 'CONTENT-TYPE': 'application/json', 'X-SERVICE-EVENT': type, 'X-SERVICE-TIMESTAMP': ts, 'X-SERVICE-SIGNATURE': signature } }, a => { a.resume(); after(a.statusCode); }); r.on('error', e => after(null, e.message)); r.end(payload); }   // test build: loopback only
  return { webhook_id: v.id, type, ts, signature, payload_base64: Buffer.from(payload).toString('base64') };
}
function form(buffer, type = '') { const edge = (/boundary="?([^";]+)/.exec(type) ?? stop(415, 'E-415', 'multipart please'))[1], got = {}; for (const piece of buffer.toString('binary').split('--' + edge).slice(1, -1)) { const cut = piece.indexOf('\r\n\r\n'); got[/name="([^"]+)"/.exec(piece.slice(0, cut))[1]] = Buffer.from(piece.slice(cut + 4, -2), 'binary').toString(); } return got; }
const made = (list, row, at) => { list.push(row); return [201, null, { Location: `${at}/${row.uid}` }]; };

const table = [
  ['GET', '/v1/clients', ({ q }) => { const [rows, from, n] = slice(db.clients, q, 'offset', 'limit'), at = o => `</v1/clients?offset=${o}&limit=${n}>`; const links = [from + n < db.clients.length && at(from + n) + '; rel="next"', from > 0 && at(Math.max(0, from - n)) + '; rel="prev"'].filter(Boolean); return [200, rows, links.length ? { Link: links.join(', ') } : {}]; }],
  ['POST', '/v1/clients', ({ json }) => made(db.clients, { uid: uid(), firm: json.firm ?? stop(400, 'E-400', 'firm is missing'), importer_id: json.importer_id ?? null, locked: 0, grade: 1, since: sec(), duties_cents: 0 }, '/v1/clients')],
  ['GET', '/v1/claims', ({ q }) => [200, slice(db.claims, q, 'skip', 'take')[0]]],                       // the end of this list is an empty page
  ['POST', '/v1/claims', ({ json }) => made(db.claims, { uid: uid(), client_uid: json.client_uid ?? stop(400, 'E-400', 'client_uid is missing'), stage: 1, stage_text: 'received', claimed_cents: 0, entries: 0, received: sec(), appealed: 0 }, '/v1/claims')],
  ['GET', '/v1/claims/status', ({ q }) => { const c = need(db.claims, q.get('claimId'), 'claim'); return [200, { claim_uid: c.uid, stage: c.stage, stage_text: c.stage_text }]; }],
  ['GET', '/v1/offers', ({ q }) => [200, slice(db.offers, q, 'skip', 'take', 100)[0]]],
  ['POST', '/v1/offers', ({ json }) => made(db.offers, { uid: uid(), claim_uid: json.claim_uid ?? null, payout_cents: json.payout_cents ?? 0, fee_bp: 400, open: 1, ends: sec() + 99999 }, '/v1/offers')],
  ['POST', '/v1/litigation/enroll', () => [204, null]], ['POST', '/v1/notifications', () => [204, null]],
  ['POST', '/v1/portfolio-scans', () => { const s = { uid: uid(), done: 0, checked: 0, hits: 0, begun: sec(), sum_cents: 0 }; db.scans.push(s); return [202, s, { Location: '/v1/portfolio-scans/' + s.uid }]; }],
  ['GET', '/v1/revenue/ledger', () => [200, db.ledger]], ['GET', '/v1/revenue/dashboard', () => [200, { paid_cents: 412390, due_cents: 1999, claims_open: 7, computed: sec() }]],
  ['GET', '/v1/webhooks/endpoints', () => [200, db.hooks.map(h => h.view)]],
  ['POST', '/v1/webhooks/endpoints', ({ json }) => { for (const n of ['label', 'url', 'subscribedEvents', 'environmentScope']) json[n] ?? stop(400, 'E-400', n + ' is missing'); const { label, url, subscribedEvents, environmentScope } = json, secret = 'ks_' + crypto.randomBytes(16).toString('hex'); const view = { id: uid(), label, url, subscribedEvents, environmentScope, secretPrefix: secret.slice(0, 5), status: 'active', made: sec(), delivery_last: null, success_last: null, failure_last: null }; db.hooks.push({ view, secret }); return [201, { ...view, signingSecret: secret }]; }],
  ['GET', '/v1/webhook-deliveries', ({ q }) => { const all = db.deliveries.filter(d => !q.has('webhook_id') || d.webhook_id === q.get('webhook_id')); return [200, slice(all, q, 'offset', 'limit', 50)[0], { 'X-Total-Count': all.length }]; }],
  ['POST', '/v1/sandbox/webhooks/test', ({ json }) => { if (!/^partner\.(test|capability\.changed|environment\.promoted|credential\.rotated)$/.test(json.eventType)) stop(400, 'E-400', 'eventType is wrong'); const hit = db.hooks.filter(h => h.view.status === 'active' && h.view.environmentScope !== 'production' && h.view.subscribedEvents.includes(json.eventType)); if (!hit.length) stop(404, 'E-404', 'no webhook for this type'); return [200, hit.map(h => post(h, json.eventType))]; }],
  ['POST', '/v1/diligence/submit', ({ body, type }) => { const f = form(body, type); if (!f.seller_name) stop(400, 'E-400', 'seller_name is missing'); if (!f.file) stop(400, 'E-400', 'file is missing'); const j = { uid: uid(), phase: 0, seller: f.seller_name, protest: f.requires_protest_documentation === 'true' ? 1 : 0, file: f.file, lines: f.file.trim().split(/\r?\n/).slice(1), begun: sec(), ended: null, asked: 0 }; db.jobs[j.uid] = j; return [202, null, { Location: '/v1/diligence/status/' + j.uid }]; }],
  ['GET', /^\/v1\/diligence\/status\/([^/]+)$/, ({ id }) => { const j = job(id); tick(j); return [200, jobView(j)]; }],
  ['GET', /^\/v1\/diligence\/report\/([^/]+)$/, ({ id }) => { const j = closed(job(id)); return [200, { uid: j.uid, rf8Review: { grade: j.phase === 2 ? 'A' : 'C', approved: j.phase === 2 ? 1 : 0, on: j.ended, points: 91 }, lines: j.lines.length, refund_cents: j.lines.length * 43210, interest_cents: j.lines.length * 321, rules: 'K-2026.1' }]; }],
  ['GET', /^\/v1\/diligence\/dataset\/([^/]+)$/, ({ id }) => { const j = closed(job(id)); return [200, 'line;entry;duty;eligible;day\n' + j.lines.map((l, i) => [i + 1, l.split(',')[0], comma(99050 + i * 175), i % 2, '2025-11-0' + (1 + i % 9)].join(';') + '\n').join(''), { 'Content-Type': 'text/csv; charset=utf-8', 'Content-Disposition': `attachment; filename="${j.uid}.csv"` }]; }],
  ['POST', /^\/v1\/diligence\/jobs\/([^/]+)\/resume$/, ({ id }) => { const j = job(id); if (j.phase < 3) stop(409, 'E-409', `job is ${PHASES[j.phase]}`); Object.assign(j, { again: true, phase: 0, asked: 0, ended: null }); return [204, null]; }],
  ['GET', /^\/v1\/portfolio-scans\/([^/]+)$/, ({ id }) => [200, need(db.scans, id, 'scan')]], ['GET', /^\/v1\/portfolio-scans\/([^/]+)\/summary$/, ({ id }) => { const { checked, hits, sum_cents } = need(db.scans, id, 'scan'); return [200, { checked, hits, sum_cents }]; }],
  ['GET', /^\/v1\/partner-organizations\/([^/]+)$/, ({ id }) => [200, need([organization], id, 'firm')]], ['PUT', /^\/v1\/partner-organizations\/([^/]+)$/, ({ id, json }) => { const o = need([organization], id, 'firm'); o.firm = json.firm ?? o.firm; return [204, null]; }],
];
const plain = { '/broker/v1/webhooks/register': '/v1/webhooks/endpoints', '/broker/v1/portfolio/scan': '/v1/portfolio-scans', '/broker/v1/portfolio/delta-scan': '/v1/portfolio-scans' };
for (const p of ['clients', 'notifications', 'revenue/ledger', 'revenue/dashboard', 'claims', 'offers', 'litigation/enroll']) plain['/broker/v1/' + p] = '/v1/' + p;
function forward(path, q) { if (path === '/broker/onboard' || path === '/broker/v1/onboard') return '/v1/partner-organizations/' + organization.uid; if (path === '/broker/v1/portfolio/summary') return `/v1/portfolio-scans/${q.get('scan_uid')}/summary`; const s = /^\/broker\/v1\/portfolio\/scan\/([^/]+)$/.exec(path); return s ? '/v1/portfolio-scans/' + s[1] : plain[path]; }
const OLD = ['/broker/onboard', '/broker/v1/portfolio/delta-scan', '/broker/v1/portfolio/summary'];

function serve(req, body) {
  const url = new URL(req.url, 'http://kontor'), q = url.searchParams; let path = url.pathname, extra = {};
  if (req.method === 'POST' && path === '/v1/oauth/token') { const f = new URLSearchParams(body.toString()); if (f.get('client_id') !== oauth.id || f.get('client_secret') !== oauth.secret) stop(401, 'E-401', 'client refused'); const t = crypto.randomBytes(9).toString('hex'); live.add(t); return [200, { access_token: t, token_type: 'Bearer', expires_in: '3600', scope: 'sandbox' }]; }
  const legacy = path.startsWith('/api/diligence/'), given = /^bearer (.*)$/i.exec(req.headers.authorization ?? '')?.[1] ?? (legacy ? req.headers['x-api-key'] : null); if (legacy) path = path.replace('/api', '/v1');
  const target = path.startsWith('/broker') ? forward(path, q) : null; if (target) { extra = { 'X-Service-Broker-Alias': path, 'X-Service-Canonical-Path': target, 'X-Service-Compatibility-Lifecycle': OLD.includes(path) ? 'migration_only' : 'long_term' }; path = target; if (req.method === 'POST' && /partner-organizations/.test(target)) req.method = 'PUT'; }
  for (const [method, pattern, run] of table) { const m = typeof pattern === 'string' ? pattern === path : pattern.exec(path); if (!m || method !== req.method) continue;
    if (given !== credential && !live.has(given)) stop(401, 'E-401', 'who are you?'); let json = {}; if (body.length && /json/.test(req.headers['content-type'] ?? '')) try { json = JSON.parse(body); } catch { stop(400, 'E-400', 'no JSON'); }
    const [status, out, headers] = run({ q, id: m[1], json, body, type: req.headers['content-type'] }); return [status, out, { ...headers, ...extra }]; }
  return [404, '<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n', { 'Content-Type': 'text/html' }];
}
http.createServer((req, res) => { const all = []; req.on('data', c => all.push(c)).on('end', () => { let a; try { a = serve(req, Buffer.concat(all)); } catch (e) { if (!e.answer) console.error(e); a = e.answer ?? [500, 'E-500: sorry', { 'Content-Type': 'text/plain' }]; }
  const [status, out, headers = {}] = a, data = out === null ? '' : typeof out === 'string' ? out : JSON.stringify(out, null, 2) + '\n'; res.writeHead(status, { Server: 'nginx/1.22.1', ...(data && { 'Content-Type': 'application/json' }), ...headers, ...(status !== 204 && { 'Content-Length': Buffer.byteLength(data) }) }); res.end(data); }); })
  .listen(Number(process.argv[2]) || 0, '127.0.0.1', function () { process.stdout.write(JSON.stringify({ url: `http://127.0.0.1:${this.address().port}`, apiKey: credential, clientId: oauth.id, clientSecret: oauth.secret }) + '\n'); });
process.on('SIGTERM', () => process.exit(0));
