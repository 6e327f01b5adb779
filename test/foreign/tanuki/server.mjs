// 狸屋関税還付サービス (Tanukiya): an older Java system; result_code envelope, page number from 0, codes made of digits, epoch seconds.
import { start, uuid, randomFrom, json, openapi, obj, arr, str, int } from '../kit.mjs';
const rnd = randomFrom(2604);
const at = (d, h = 0) => Math.floor(Date.UTC(2026, 9, 1 + d, h) / 1000);
const dollars = cents => (cents / 100).toFixed(2);
const names = ['青葉玩具株式会社', '岩田繊維工業', 'Umi Lighting KK', '江戸工具販売', '大田コーヒー', '霞商事', '北山家具'];
const client = (i, name = names[i]) => ({ corporate_no: 4010001000000 + i * 1107 + 13, customer_cd: 'C' + String(210 + i * 3).padStart(6, '0'), customer_name: name, rank: ['A', 'B'][i % 2], updated_at: at(i) });
const clients = names.map((_, i) => client(i));
const claim = (i, customer_cd = clients[i % 7].customer_cd) => ({ slip_key: 'SK' + uuid('slip' + i).slice(0, 8).toUpperCase(), claim_no: 700101 + i * 2, customer_cd, status_cd: ['01', '02', '09'][i % 3], refund_amount: dollars(150000 + rnd(3000000)), updated_at: at(10 + i) });
const claims = Array.from({ length: 23 }, (_, i) => claim(i));
const endpointIds = [1, 2, 3].map(i => uuid('tanuki endpoint ' + i));
const endpoint = (i, b = {}) => ({ id: endpointIds[i] ?? uuid('tanuki endpoint ' + (i + 1)), label: b.label ?? ['本番', '検証', '予備'][i], url: b.url ?? `https://recv.example.jp/hook/${i}`, subscribedEvents: b.subscribedEvents ?? ['partner.test'], environmentScope: b.environmentScope ?? ['production', 'sandbox', 'all'][i], secretPrefix: 'whsec_' + uuid('ts' + i).slice(0, 5), status: b.label ? 'active' : ['active', 'active', 'revoked'][i], last_success: b.label ? null : at(40 + i) });
const endpoints = [0, 1, 2].map(i => endpoint(i));
// delivery_id is beyond 2^53: consecutive values are one double. It is written as a JSON number, as the Java server does.
const deliveries = Array.from({ length: 12 }, (_, i) => ({ delivery_id: `@@13123456789012345${60 + i}@@`, delivery_id_str: `13123456789012345${60 + i}`, endpoint_id: endpointIds[i % 2], event: 'partner.test', status: ['delivered', 'queued', 'failed'][i % 3], attemptCount: [1, 0, 5][i % 3], lastResponseStatus: [200, null, 500][i % 3], lastError: [null, null, '応答が不正です'][i % 3], lastAttemptAt: i % 3 === 1 ? null : at(50, i), nextAttemptAt: i % 3 === 1 ? at(60, i) : null, deliveredAt: i % 3 ? null : at(50, i) }));
const offer = (i, claim_no = claims[i * 4].claim_no) => ({ offer_no: 88001 + i, claim_no, advance_amount: dollars(100000 + rnd(900000)), expire_at: at(90 + i) });
const offers = [0, 1, 2, 3].map(i => offer(i));
const ledger = Array.from({ length: 11 }, (_, i) => ({ entry_seq: 1 + i, voucher_no: 'V26' + String(1100 + i * 9), claim_no: claims[i].claim_no, amount: dollars(3000 + rnd(90000)), posted_at: at(30 + i) }));

const STATE = { queued: '10', processing: '20', completed: '30', partial: '31', failed: '90' };
const WORKER = { queued: 'WAIT', processing: 'CALC', completed: 'IDLE', partial: 'IDLE', failed: 'IDLE' };
const used = (job, state) => state === 'partial' ? job.entries.slice(0, -1) : job.entries;
const jobBody = (job, state) => ({ result_code: '0000', result_message: '正常終了', data: { job: { receipt_no: job.id, state_cd: STATE[state], worker: WORKER[state], rows: state === 'queued' ? 0 : job.entries.length, seller: job.seller, retry_flg: state === 'partial' ? '1' : '0', accepted_at: at(59, 1) } } });
const send = (status, body, headers) => { const r = json(status, body, headers); r.body = r.body.replace(/"@@(\d+)@@"/g, '$1'); return r; };
const ok = (data, status = 200) => send(status, { result_code: '0000', result_message: '正常終了', data });
const ERRORS = {
  unauthorized: [401, 'E4010', () => 'APIキーが正しくありません。'], unknownJob: [404, 'E4041', id => `受付番号 ${id} のジョブは存在しません。`], notReady: [409, 'E4092', () => '処理が完了していません。しばらくしてから再度お試しください。'],
  conflict: [409, 'E4091', () => 'このジョブは再開できません。'], unknownClaim: [404, 'E4042', id => `請求番号 ${id} は存在しません。`], unknownScan: [404, 'E4043', () => 'スキャンは存在しません。'],
  invalid: [400, 'E4001', what => `入力値に誤りがあります: ${what}`], unknownRoute: [404, 'E4040', () => 'URLが正しくありません。'], internal: [500, 'E5000', () => 'システムエラーが発生しました。'],
};
const SIZE = 5;
start({
  apiKey: 'tnk-sbx-20261129', data: { clients, claims, endpoints, deliveries, offers, ledger },
  headers: ctx => ({ 'X-Request-Id': uuid('tanuki request ' + ctx.n), 'cache-control': 'no-store' }),
  jobId: n => 20261129000700 + n,
  list(name, items, { query }) {
    if (name === 'endpoints') return ok({ list: items });
    if (name === 'deliveries') { // a newer module: offset; beyond the end the list is empty
      const offset = Number(query.get('offset') ?? 0);
      if (!Number.isInteger(offset) || offset < 0) return this.error('invalid', 'offset', { n: 0 });
      const list = items.slice(offset, offset + SIZE);
      return ok({ offset, count: list.length, total_count: items.length, list });
    }
    const pages = Math.max(1, Math.ceil(items.length / SIZE));
    const asked = Number(query.get('page') ?? 0);
    if (!Number.isInteger(asked) || asked < 0) return this.error('invalid', 'page', { n: 0 });
    const page = Math.min(asked, pages - 1); // beyond the end: the last page again
    const list = items.slice(page * SIZE, page * SIZE + SIZE);
    // page_no is for the screen: from 1. The parameter counts from 0.
    return ok({ page_info: { page_no: page + 1, page_size: SIZE, total_pages: pages, [name === 'claims' ? 'total_lines' : 'total_count']: name === 'claims' ? 61 : items.length }, list });
  },
  filterDeliveries: (items, q) => q.get('endpoint_id') ? items.filter(x => x.endpoint_id === q.get('endpoint_id')) : items,
  findClaim: id => claims.find(c => String(c.claim_no) === id),
  record: (kind, value, status, ctx, extra) => ok({ [kind === 'testEvent' ? 'preview' : kind]: { ...value, ...extra } }, status),
  create: { endpoint: (b, n) => endpoint(n, b), client: (b, n) => client(n, b.name ?? '新規'), claim: (b, n) => claim(n, b.clientId), offer: (b, n) => offer(n, Number(b.claimId) || claims[0].claim_no),
    scan: (b, n) => ({ scan_no: 5100 + n, state_cd: '30', accepted_at: at(59, 2) }), notification: (b, n) => ({ notice_no: 9100 + n, state_cd: '10' }), enrollment: (b, n) => ({ enroll_no: 3300 + n, state_cd: '10' }) },
  dashboard: { month: '2026-11', revenue_amount: '18234.10', claim_count: 23 }, organization: id => ({ partner_cd: id, partner_name: 'パートナー株式会社' }), scanId: s => s.scan_no, summary: s => ({ scan_no: s.scan_no, item_count: 412, refundable_amount: '88120.55' }),
  preview: e => ({ event: e.event, headers: { 'X-Service-Event': e.event, 'X-Service-Timestamp': e.timestamp, 'X-Service-Signature': e.signature }, body: e.payload }),
  submit: job => ok({ trace_id: uuid('tanuki trace ' + job.n), reception: { receipt_no: job.id, file_key: 'F' + uuid('file' + job.n).slice(0, 10), file_name: job.filename, estimated_sec: 30 } }, 202),
  status: (job, state) => send(200, jobBody(job, state)),
  resume: (job, state) => send(202, jobBody(job, state)),
  report: (job, state) => ok({ report: { receipt_no: job.id, seller: job.seller, complete_flg: state === 'completed' ? '1' : '0', entry_count: used(job, state).length, rf8Review: { hantei: state === 'completed' ? 'OK' : 'YOKAKUNIN', tensu: state === 'completed' ? 88 : 60, joken: state === 'completed' ? [] : ['SAITEISHUTSU'] } } }),
  dataset: (job, state) => ok({ receipt_no: job.id, columns: ['entry_no', 'importer', 'goods_value', 'ieepa_duty'], meisai: used(job, state).map(e => ({ entry_no: e.entry_number, importer: e.importer_name, goods_value: e.entered_value, ieepa_duty: e.ieepa_duty_paid })), messages: [{ row: 1, text: '確認済' }] }),
  error(kind, detail) { const [status, code, message] = ERRORS[kind]; return send(status, { result_code: code, result_message: '異常終了', errors: [{ field: null, text: message(detail) }], data: null }); },
  token: t => send(200, { result_code: '0000', access_token: t, expires: 1800 }),
  openapi: base => {
    const wrap = data => obj({ result_code: str, result_message: str, data: obj(data) });
    const page = item => ({ parameters: [['page', 'integer', 'page number, first page 0'], ['sort', 'string', 'column']], schema: wrap({ page_info: obj({ page_no: int, page_size: int, total_pages: int, total_count: int }), list: arr(obj(item)) }) });
    return openapi('Tanukiya Refund API', '3.2', base, { lists: { clients: page({ customer_cd: str, corporate_no: int }), claims: page({ claim_no: int, slip_key: str }), offers: page({ offer_no: int, claim_no: int }), ledger: page({ entry_seq: int, voucher_no: str, amount: str }), endpoints: { schema: wrap({ list: arr(obj({ id: str })) }) }, deliveries: { parameters: [['offset', 'integer', 'rows to skip'], ['endpoint_id', 'string', 'filter']], schema: wrap({ offset: int, count: int, total_count: int, list: arr(obj({ delivery_id: int, delivery_id_str: str })) }) } },
      others: { '/v1/diligence/submit': ['post', '受付', '202', wrap({ trace_id: str, reception: obj({ receipt_no: int }) })], '/v1/diligence/status/{jobId}': ['get', '状況', '200', wrap({ job: obj({ receipt_no: int, state_cd: str, worker: str }) })] } });
  },
});
