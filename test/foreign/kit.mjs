// Test material: HTTP plumbing that the last four services of the README share. How each service looks is in server.mjs.
import http from 'node:http';
import { createHash, createHmac } from 'node:crypto';

export function uuid(text) {
  const h = createHash('sha1').update(text).digest('hex');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20, 32)}`;
}
export function randomFrom(seed) {
  let s = seed >>> 0;
  return max => { s = (Math.imul(s, 1664525) + 1013904223) >>> 0; return Math.floor((s / 2 ** 32) * max); };
}
export const json = (status, body, headers = {}) => ({ status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });
export const text = (status, body, headers = {}) => ({ status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body });

export function parseCsv(source) {
  const rows = []; let row = [], cell = '', quoted = false;
  const s = source.replace(/^\uFEFF/, '');
  for (let i = 0; i < s.length; i++) {
    const c = s[i];
    if (quoted) { if (c === '"' && s[i + 1] === '"') { cell += '"'; i++; } else if (c === '"') quoted = false; else cell += c; }
    else if (c === '"') quoted = true;
    else if (c === ',') { row.push(cell); cell = ''; }
    else if (c === '\n') { row.push(cell); rows.push(row); row = []; cell = ''; }
    else if (c !== '\r') cell += c;
  }
  if (cell || row.length) { row.push(cell); rows.push(row); }
  const [head = [], ...rest] = rows.filter(r => r.some(x => x.trim()));
  const names = head.map(h => h.trim().toLowerCase().replace(/[^a-z0-9]+/g, '_'));
  return rest.map(r => Object.fromEntries(names.map((n, i) => [n, r[i] ?? ''])));
}
function parseMultipart(buffer, type) {
  const m = /boundary=(?:"([^"]+)"|([^;]+))/i.exec(type ?? '');
  if (!m) return null;
  const parts = {};
  for (const piece of buffer.toString('latin1').split('--' + (m[1] ?? m[2])).slice(1, -1)) {
    const at = piece.indexOf('\r\n\r\n');
    const head = Buffer.from(piece.slice(2, at), 'latin1').toString('utf8');
    const body = Buffer.from(piece.slice(at + 4, -2), 'latin1').toString('utf8');
    const name = /[; ]name="?([^";\r\n]*)"?/i.exec(head)?.[1];
    parts[name] = { text: body, filename: /filename="?([^";\r\n]*)"?/i.exec(head)?.[1] };
  }
  return parts;
}
const ALIASES = [
  [/^\/broker\/onboard$/, '/v1/partner-organizations/self', 'migration_only'], [/^\/broker\/v1\/onboard$/, '/v1/partner-organizations/self', 'long_term'],
  [/^\/broker\/v1\/webhooks\/register$/, '/v1/webhooks/endpoints', 'long_term'], [/^\/broker\/v1\/clients$/, '/v1/clients', 'long_term'],
  [/^\/broker\/v1\/portfolio\/scan$/, '/v1/portfolio-scans', 'long_term'], [/^\/broker\/v1\/portfolio\/delta-scan$/, '/v1/portfolio-scans', 'migration_only'],
  [/^\/broker\/v1\/portfolio\/scan\/([^/]+)$/, '/v1/portfolio-scans/$1', 'long_term'], [/^\/broker\/v1\/portfolio\/summary$/, '/v1/portfolio-scans/latest/summary', 'migration_only'],
  [/^\/broker\/v1\/notifications$/, '/v1/notifications', 'long_term'], [/^\/broker\/v1\/revenue\/(ledger|dashboard)$/, '/v1/revenue/$1', 'long_term'],
  [/^\/broker\/v1\/claims$/, '/v1/claims', 'long_term'], [/^\/broker\/v1\/offers$/, '/v1/offers', 'long_term'], [/^\/broker\/v1\/litigation\/enroll$/, '/v1/litigation/enroll', 'long_term'],
];
const EVENTS = ['partner.test', 'partner.capability.changed', 'partner.environment.promoted', 'partner.credential.rotated'];

/* svc: apiKey, decorate(res, ctx)?, data{clients,claims,endpoints,deliveries,offers,ledger}, list(name, items, ctx), filterDeliveries(items, query),
   findClaim(id), record(kind, value, status, ctx), create{endpoint,client,claim,offer,scan,notification,enrollment}(body, n), dashboard, organization(id), summary(scan), scanId(scan),
   jobId(n), submit(job, ctx), status(job, state, ctx), report(job, state), dataset(job, state), resume(job, state), error(kind, detail, ctx), token(value), openapi(url), preview(event) */
export async function start(svc) {
  const jobs = new Map(), scans = new Map(), tokens = new Set();
  let count = 0;
  const stateOf = job => job.polls <= 1 ? 'queued' : job.polls === 2 ? 'processing' : job.broken ? 'failed' : job.partial && !job.resumed ? 'partial' : 'completed';
  const server = http.createServer(async (req, res) => {
    const chunks = []; for await (const c of req) chunks.push(c);
    const raw = Buffer.concat(chunks);
    const url = new URL(req.url, base);
    const extra = {};
    let path = url.pathname.replace(/\/$/, '');
    for (const [from, to, life] of ALIASES) if (from.test(path)) {
      const alias = path; path = path.replace(from, to);
      Object.assign(extra, { 'X-Service-Broker-Alias': alias, 'X-Service-Canonical-Path': path, 'X-Service-Compatibility-Lifecycle': life });
      break;
    }
    if (path.startsWith('/api/diligence/')) path = path.replace('/api/', '/v1/');
    const ctx = { req, url, path, base, query: url.searchParams, n: ++count };
    let out;
    try { out = route(ctx, raw); } catch (e) { process.stderr.write(e.stack + '\n'); out = svc.error('internal', '', ctx); }
    const headers = { ...svc.headers?.(ctx), ...out.headers, ...extra };
    const body = out.body ?? '';
    if (out.status !== 204) headers['content-length'] = Buffer.byteLength(body);
    res.writeHead(out.status, headers); res.end(req.method === 'HEAD' ? '' : body);
  });
  function route(ctx, raw) {
    const { req, path } = ctx, method = req.method === 'HEAD' ? 'GET' : req.method;
    if (path === '/v1/oauth/token' && method === 'POST') {
      const f = new URLSearchParams(raw.toString());
      if (f.get('grant_type') !== 'client_credentials' || f.get('client_secret') !== svc.apiKey) return svc.error('unauthorized', '', ctx);
      const t = 'tok_' + uuid('token' + tokens.size).replaceAll('-', ''); tokens.add(t);
      return svc.token(t);
    }
    const bearer = /^Bearer (.+)$/i.exec(req.headers.authorization ?? '')?.[1];
    const key = bearer ?? (/^\/v1\/diligence\/(submit$|status\/)/.test(path) ? req.headers['x-api-key'] : undefined);
    if (key !== svc.apiKey && !tokens.has(key)) return svc.error('unauthorized', '', ctx);
    let m;
    const body = () => { try { return JSON.parse(raw.toString() || '{}'); } catch { return {}; } };
    const lists = { '/v1/webhooks/endpoints': 'endpoints', '/v1/webhook-deliveries': 'deliveries', '/v1/clients': 'clients', '/v1/claims': 'claims', '/v1/offers': 'offers', '/v1/revenue/ledger': 'ledger' };
    if (lists[path] && method === 'GET') {
      const name = lists[path];
      const items = name === 'deliveries' ? svc.filterDeliveries(svc.data.deliveries, ctx.query) : svc.data[name];
      return svc.list(name, items, ctx);
    }
    const creates = { '/v1/webhooks/endpoints': ['endpoint', 'endpoints'], '/v1/clients': ['client', 'clients'], '/v1/claims': ['claim', 'claims'], '/v1/offers': ['offer', 'offers'] };
    if (creates[path] && method === 'POST') {
      const [kind, name] = creates[path], b = body();
      if (kind === 'endpoint' && !(b.label && /^https?:/.test(b.url ?? '') && Array.isArray(b.subscribedEvents) && ['sandbox', 'production', 'all'].includes(b.environmentScope))) return svc.error('invalid', 'label, url, subscribedEvents, environmentScope', ctx);
      const item = svc.create[kind](b, svc.data[name].length);
      svc.data[name].push(item);
      const secret = 'whsec_' + createHash('sha256').update(name + svc.data[name].length).digest('hex').slice(0, 32);
      return svc.record(kind, item, 201, ctx, kind === 'endpoint' ? { signingSecret: secret } : undefined);
    }
    if (path === '/v1/sandbox/webhooks/test' && method === 'POST') {
      const b = body();
      if (!EVENTS.includes(b.eventType)) return svc.error('invalid', 'eventType', ctx);
      const payload = JSON.stringify({ event: b.eventType, environment: b.environment ?? 'sandbox', sequence: ctx.n });
      const timestamp = '2026-11-29T09:00:00Z';
      return svc.record('testEvent', svc.preview({ event: b.eventType, payload, timestamp, signature: createHmac('sha256', 'whsec_preview').update(`${timestamp}.${payload}`).digest('hex') }), 200, ctx);
    }
    if (path === '/v1/claims/status' && method === 'GET') {
      const c = svc.findClaim(ctx.query.get('claimId') ?? '');
      return c ? svc.record('claim', c, 200, ctx) : svc.error('unknownClaim', ctx.query.get('claimId') ?? '', ctx);
    }
    if (path === '/v1/docs/openapi' && method === 'GET') return svc.openapi ? json(200, svc.openapi(base)) : svc.error('unknownRoute', path, ctx);
    if (path === '/v1/diligence/submit' && method === 'POST') {
      const parts = parseMultipart(raw, req.headers['content-type']);
      if (!parts?.file?.text?.trim() || !parts.seller_name?.text) return svc.error('invalid', 'file, seller_name', ctx);
      const n = jobs.size + 1, filename = parts.file.filename ?? '';
      const job = { n, id: svc.jobId(n), seller: parts.seller_name.text, filename, protest: parts.requires_protest_documentation?.text === 'true', polls: 0,
        partial: /partial/i.test(filename) || /partial co/i.test(parts.seller_name.text), broken: /broken/i.test(filename), resumed: false, entries: parseCsv(parts.file.text) };
      jobs.set(String(job.id).toLowerCase(), job);
      return svc.submit(job, ctx);
    }
    if ((m = /^\/v1\/diligence\/(status|report|dataset)\/([^/]+)$/.exec(path)) && method === 'GET') {
      const job = jobs.get(decodeURIComponent(m[2]).toLowerCase());
      if (!job) return svc.error('unknownJob', decodeURIComponent(m[2]), ctx);
      if (m[1] === 'status') { job.polls++; return svc.status(job, stateOf(job), ctx); }
      const state = stateOf(job);
      if (!['completed', 'partial'].includes(state)) return svc.error('notReady', job.id, ctx);
      return svc[m[1]](job, state, ctx);
    }
    if ((m = /^\/v1\/diligence\/jobs\/([^/]+)\/resume$/.exec(path)) && method === 'POST') {
      const job = jobs.get(decodeURIComponent(m[1]).toLowerCase());
      if (!job) return svc.error('unknownJob', decodeURIComponent(m[1]), ctx);
      if (!['partial', 'failed'].includes(stateOf(job))) return svc.error('conflict', job.id, ctx);
      job.resumed = true; job.broken = false; job.polls = 1;
      return svc.resume(job, 'queued', ctx);
    }
    if ((m = /^\/v1\/partner-organizations\/([^/]+)$/.exec(path))) return svc.record('organization', svc.organization(m[1]), 200, ctx);
    if (path === '/v1/portfolio-scans' && method === 'POST') {
      const s = svc.create.scan(body(), scans.size); scans.set(String(svc.scanId(s)), s); scans.set('latest', s);
      return svc.record('scan', s, 202, ctx);
    }
    if ((m = /^\/v1\/portfolio-scans\/([^/]+)(\/summary)?$/.exec(path)) && method === 'GET') {
      const s = scans.get(decodeURIComponent(m[1]));
      if (!s) return svc.error('unknownScan', m[1], ctx);
      return m[2] ? svc.record('summary', svc.summary(s), 200, ctx) : svc.record('scan', s, 200, ctx);
    }
    if (path === '/v1/notifications' && method === 'POST') return svc.record('notification', svc.create.notification(body(), ctx.n), 201, ctx);
    if (path === '/v1/litigation/enroll' && method === 'POST') return svc.record('enrollment', svc.create.enrollment(body(), ctx.n), 201, ctx);
    if (path === '/v1/revenue/dashboard' && method === 'GET') return svc.record('dashboard', svc.dashboard, 200, ctx);
    return svc.error('unknownRoute', path, ctx);
  }
  let base = 'http://127.0.0.1';
  await new Promise(done => server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', done));
  base = `http://127.0.0.1:${server.address().port}`;
  process.stdout.write(JSON.stringify({ url: base, apiKey: svc.apiKey }) + '\n');
}
const PATHS = { '/v1/clients': 'clients', '/v1/claims': 'claims', '/v1/offers': 'offers', '/v1/revenue/ledger': 'ledger', '/v1/webhooks/endpoints': 'endpoints', '/v1/webhook-deliveries': 'deliveries' };
/* lists: name → { parameters: [[name, type, text]], schema } ; others: { path: [method, summary, schema] } */
export function openapi(title, version, base, { lists, others }) {
  const respond = (status, schema) => ({ [status]: { description: 'OK', content: { 'application/json': { schema } } } });
  const paths = {};
  for (const [p, name] of Object.entries(PATHS)) paths[p] = { get: { operationId: 'list_' + name, summary: name,
    parameters: (lists[name].parameters ?? []).map(([n, type, description]) => ({ name: n, in: 'query', required: false, description, schema: { type } })), responses: respond('200', lists[name].schema) } };
  for (const [p, [method, summary, status, schema]] of Object.entries(others)) {
    const names = [...p.matchAll(/\{(\w+)\}/g)].map(x => x[1]);
    (paths[p] ??= {})[method] = { operationId: method + '_' + p.replace(/\W+/g, '_'), summary, parameters: names.map(n => ({ name: n, in: 'path', required: true, schema: { type: 'string' } })), responses: respond(status, schema) };
  }
  return { openapi: '3.0.3', info: { title, version }, servers: [{ url: base }], security: [{ bearer: [] }], paths, components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } };
}
export const obj = properties => ({ type: 'object', properties });
export const arr = items => ({ type: 'array', items });
export const str = { type: 'string' };
export const int = { type: 'integer' };
