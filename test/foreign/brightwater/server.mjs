// Brightwater: JSON:API taste. Links in the body (relative), compound documents, state words of its own.
import { start, uuid, randomFrom, json, openapi, obj, arr, str, int } from '../kit.mjs';
const rnd = randomFrom(90210);
const iso = (d, h = 0) => new Date(Date.UTC(2026, 9, 1 + d, h, 12, 5, 250)).toISOString();
const code = (prefix, i) => prefix + '_' + Buffer.from(uuid(prefix + i).slice(0, 8)).toString('base64url').slice(0, 10) + i;
const res = (type, id, attributes, relationships) => ({ type, id, attributes, ...(relationships && { relationships }), links: { self: `/v1/${type}/${id}` } });
const rel = (name, type, id) => ({ [name]: { data: { type, id } } });

const names = ['Alder Toys', 'Birch Apparel', 'Cedar Lighting', 'Dogwood Tools', 'Elm Outdoors', 'Fir Furniture', 'Ginkgo Coffee', 'Hazel Bikes', 'Ivy Audio', 'Juniper Home'];
const client = (i, name = names[i]) => res('clients', code('cl', i), { name: `${name} Inc.`, reference: `BW-${1200 + i * 11}`, createdAt: iso(i) }, { contacts: { data: [{ type: 'contacts', id: 'ct_' + (i * 2) }, { type: 'contacts', id: 'ct_' + (i * 2 + 1) }] } });
const clients = names.map((_, i) => client(i));
const claim = (i, clientId = clients[i % 10].id) => res('claims', code('clm', i), { reference: `REF-${88000 + i * 3}`, lane: ['cape', 'protest'][i % 2], phase: ['open', 'filed', 'paid'][i % 3], amount: { value: (1500 + rnd(40000) + 0.5).toFixed(2), currency: 'USD' }, createdAt: iso(i) }, rel('client', 'clients', clientId));
const claims = Array.from({ length: 23 }, (_, i) => claim(i));
const endpointIds = [1, 2, 3].map(i => uuid('brightwater endpoint ' + i));
const endpoint = (i, b = {}) => res('webhook-endpoints', endpointIds[i] ?? uuid('brightwater endpoint ' + (i + 1)), { label: b.label ?? ['prod', 'staging', 'old'][i], url: b.url ?? `https://in.example.com/bw/${i}`, subscribedEvents: b.subscribedEvents ?? ['partner.test', 'claim.updated'], environmentScope: b.environmentScope ?? ['production', 'sandbox', 'all'][i], secretPrefix: 'whsec_' + uuid('bs' + i).slice(0, 4), status: b.label ? 'active' : ['active', 'disabled', 'active'][i], lastSuccessAt: b.label ? null : iso(50 + i) });
const endpoints = [0, 1, 2].map(i => endpoint(i));
const deliveries = Array.from({ length: 12 }, (_, i) => res('webhook-deliveries', code('dlv', i), { status: ['delivered', 'retrying', 'delivered', 'queued', 'failed'][i % 5], attemptCount: [1, 3, 1, 0, 8][i % 5], lastResponseStatus: [200, 502, 204, null, 404][i % 5], lastError: [null, 'bad gateway', null, null, 'receiver said 404'][i % 5], lastAttemptAt: i % 5 === 3 ? null : iso(52, i), nextAttemptAt: [1, 3].includes(i % 5) ? iso(59, i) : null, deliveredAt: [0, 2].includes(i % 5) ? iso(52, i) : null, eventName: 'partner.test' }, rel('endpoint', 'webhook-endpoints', endpointIds[i % 3])));
const offer = (i, claimId = claims[i * 3].id) => res('offers', code('off', i), { advance: { value: (900 + rnd(9000)).toFixed(2), currency: 'USD' }, expiresAt: iso(90 + i) }, rel('claim', 'claims', claimId));
const offers = [0, 1, 2, 3].map(i => offer(i));
const ledger = Array.from({ length: 7 }, (_, i) => res('ledger-entries', code('le', i), { amount: { value: (50 + rnd(900) + 0.25).toFixed(2), currency: 'USD' }, kind: ['fee', 'credit'][i % 2], postedAt: iso(40 + i) }, rel('claim', 'claims', claims[i].id)));

const WORD = { queued: 'accepted', processing: 'running', completed: 'reconciled', partial: 'finished', failed: 'halted' };
// The virus scan of the upload: its words are documented ones, and it is over before the job is.
const SCAN = { queued: 'processing', processing: 'completed', completed: 'completed', partial: 'completed', failed: 'completed' };
const used = (job, state) => state === 'partial' ? job.entries.slice(0, -1) : job.entries;
const jobDoc = (job, state, ctx) => ({ data: { type: 'diligence-jobs', id: job.id, attributes: { sellerName: job.seller, uploadScan: SCAN[state], runState: WORD[state], health: state === 'partial' ? 'amber' : 'green', progress: { done: state === 'queued' ? 0 : used(job, state).length, of: job.entries.length }, createdAt: iso(59, 1) }, links: { self: `/v1/diligence/status/${job.id}` } }, meta: { requestId: uuid('brightwater request ' + ctx.n) } });
const ERRORS = {
  unauthorized: [401, 'credential_rejected', 'Credential rejected', () => 'The credential in the Authorization header is not valid for this environment.'], unknownJob: [404, 'resource_missing', 'Resource missing', id => `There is no diligence job ${id} in this environment.`],
  notReady: [409, 'job_still_running', 'Job still running', () => 'The report and the dataset are available once the job has ended.'], conflict: [409, 'not_resumable', 'Not resumable', () => 'Only a job that ended early can be resumed.'],
  unknownClaim: [404, 'resource_missing', 'Resource missing', id => `There is no claim ${id} in this environment.`], unknownScan: [404, 'resource_missing', 'Resource missing', () => 'There is no such portfolio scan.'],
  invalid: [422, 'attribute_invalid', 'Attribute invalid', what => `These attributes are missing or invalid: ${what}.`], unknownRoute: [404, 'route_missing', 'Route missing', () => 'There is nothing at this path.'], internal: [500, 'internal', 'Internal error', () => 'Something went wrong on our side.'],
};
const SIZE = 5;
const include = { clients: item => item.relationships.contacts.data.map(c => ({ type: 'contacts', id: c.id, attributes: { email: `${c.id.replace('_', '')}@example.com` } })) };
start({
  apiKey: 'bw_sk_sandbox_51Hx0pQ', data: { clients, claims, endpoints, deliveries, offers, ledger },
  headers: ctx => ({ 'X-Request-Id': uuid('brightwater request ' + ctx.n), vary: 'Accept' }),
  jobId: n => uuid('brightwater job ' + n),
  list(name, items, { query, path, n }) {
    const meta = { requestId: uuid('brightwater request ' + n) };
    if (name === 'endpoints') return json(200, { data: items, links: { self: path }, meta });
    if (name === 'deliveries') { // an older team: a cursor in meta, no links
      const after = query.get('page[after]');
      const from = after ? items.findIndex(x => x.id === Buffer.from(after, 'base64url').toString().slice(2)) + 1 : 0;
      if (after && !from) return this.error('invalid', 'page[after]', { n });
      const data = items.slice(from, from + SIZE), c = x => Buffer.from('c:' + x.id).toString('base64url');
      return json(200, { data, meta: { ...meta, page: { before: data.length && from ? c(data[0]) : null, after: from + SIZE < items.length ? c(data.at(-1)) : null, size: SIZE } } });
    }
    const number = Number(query.get('page[number]') ?? 1);
    if (!Number.isInteger(number) || number < 1) return this.error('invalid', 'page[number]', { n });
    for (const k of query.keys()) if (!/^(page\[(number|size)\]|filter\[\w+\]|include|sort)$/.test(k)) return this.error('invalid', k, { n });
    const pages = Math.max(1, Math.ceil(items.length / SIZE)), link = p => `${path}?page%5Bnumber%5D=${p}&page%5Bsize%5D=${SIZE}`;
    const data = items.slice((number - 1) * SIZE, number * SIZE);
    const body = { links: { self: link(number), first: link(1), last: link(pages), prev: number > 1 ? link(number - 1) : null, next: number < pages ? link(number + 1) : null }, data };
    if (include[name]) { body.included = data.flatMap(include[name]); meta.total = items.length * 3; } else meta.total = items.length;
    return json(200, { ...body, meta });
  },
  filterDeliveries: (items, q) => q.get('filter[endpoint]') ? items.filter(x => x.relationships.endpoint.data.id === q.get('filter[endpoint]')) : items,
  findClaim: id => claims.find(c => c.id === id),
  record: (kind, value, status, ctx, extra) => json(status, { data: extra ? { ...value, attributes: { ...value.attributes, ...extra } } : value, meta: { requestId: uuid('brightwater request ' + ctx.n) } }),
  create: { endpoint: (b, n) => endpoint(n, b), client: (b, n) => client(n, b.name ?? 'New client'), claim: (b, n) => claim(n, b.clientId), offer: (b, n) => offer(n, b.claimId ?? claims[0].id),
    scan: (b, n) => res('portfolio-scans', code('scan', n), { runState: 'reconciled', createdAt: iso(59, 2) }), notification: (b, n) => res('notifications', code('ntf', n), { state: 'scheduled' }), enrollment: (b, n) => res('litigation-enrollments', code('lit', n), { state: 'pending' }) },
  dashboard: res('revenue-dashboards', 'current', { month: '2026-11', revenue: { value: '18234.10', currency: 'USD' } }), organization: id => res('partner-organizations', id, { name: 'Partner Demo LLC' }), scanId: s => s.id, summary: s => res('scan-summaries', s.id, { items: 412, refundable: { value: '88120.55', currency: 'USD' } }),
  preview: e => res('event-previews', uuid('preview' + e.event), { eventType: e.event, headers: { 'X-Service-Event': e.event, 'X-Service-Timestamp': e.timestamp, 'X-Service-Signature': e.signature }, payload: e.payload }),
  submit: (job, ctx) => json(202, { data: null, meta: { requestId: uuid('brightwater request ' + ctx.n), batchId: uuid('brightwater batch'), queuePosition: 3 } }, { Location: `/v1/diligence/status/${job.id}?fields=all`, 'Retry-After': '1' }),
  status: (job, state, ctx) => json(200, jobDoc(job, state, ctx)),
  resume: (job, state, ctx) => json(202, jobDoc(job, state, ctx)),
  report: (job, state, ctx) => json(200, { data: { type: 'diligence-reports', id: job.id, attributes: { sellerName: job.seller, coverage: state === 'completed' ? 'full' : 'limited', entries: used(job, state).length, rf8Review: { verdict: state === 'completed' ? 'clear' : 'review', points: state === 'completed' ? 95 : 64, notes: [] } } }, meta: { requestId: uuid('brightwater request ' + ctx.n) } }),
  dataset: (job, state) => json(200, { data: used(job, state).map((e, i) => ({ type: 'entry-results', id: `${job.n}-${i + 1}`, attributes: { entryNumber: e.entry_number, importer: e.importer_name, duty: { value: e.ieepa_duty_paid, currency: 'USD' }, lane: 'cape' } })), included: [{ type: 'importers', id: 'imp_1', attributes: { name: job.seller } }], meta: { job: job.id } }),
  error(kind, detail, ctx) { const [status, c, title, message] = ERRORS[kind]; return json(status, { errors: [{ id: uuid('brightwater error ' + ctx.n), status: String(status), code: c, title, detail: message(detail) }] }); },
  token: t => json(200, { access_token: t, token_type: 'bearer', expires_in: 900 }),
  openapi: base => {
    const page = item => ({ parameters: [['page[number]', 'integer', 'page, from 1'], ['page[size]', 'integer', 'accepted, at most 5'], ['include', 'string', 'related resources'], ['sort', 'string', 'attribute']], schema: obj({ data: arr(item), included: arr(obj({ type: str, id: str })), links: obj({ next: str }), meta: obj({ total: int, requestId: str }) }) });
    const r = obj({ type: str, id: str, attributes: obj({}) });
    return openapi('Brightwater Partner API', '2026-11-01', base, { lists: { clients: page(r), claims: page(r), offers: page(r), ledger: page(r), endpoints: { schema: obj({ data: arr(r) }) }, deliveries: { parameters: [['page[after]', 'string', 'cursor from meta.page.after'], ['page[before]', 'string', 'cursor'], ['filter[endpoint]', 'string', 'endpoint id']], schema: obj({ data: arr(r), meta: obj({ page: obj({ before: str, after: str, size: int }) }) }) } },
      others: { '/v1/diligence/submit': ['post', 'Submit entries', '202', obj({ data: { nullable: true, type: 'object' }, meta: obj({ requestId: str }) })], '/v1/diligence/status/{jobId}': ['get', 'Job status', '200', obj({ data: r })] } });
  },
});
