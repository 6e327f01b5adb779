// Kessler Zollrückvergütung AG: OData v2 taste, German names, server-driven paging.
import { start, uuid, randomFrom, json, openapi, obj, arr, str, int } from '../kit.mjs';
const rnd = randomFrom(4711);
const comma = cents => `${Math.floor(cents / 100)},${String(cents % 100).padStart(2, '0')}`;
const pad = (n, w) => String(n).padStart(w, '0');
const day = (d, h = 8) => new Date(Date.UTC(2026, 9, 1 + d, h - 1, 15)).toISOString().slice(0, 11) + pad(h, 2) + ':15:00+01:00';
const odataDate = d => `/Date(${Date.UTC(2026, 9, 1 + d)})/`;
const meta = (type, key) => ({ uri: `${type}('${key}')`, type: `ZRV.${type}` });

const names = ['Albrecht Spielwaren GmbH', 'Bäumer Textil KG', 'Cordes Leuchten GmbH', 'Dinkel & Söhne OHG', 'Eifel Werkzeuge AG', 'Falk Outdoor GmbH', 'Gerber Möbelimport GmbH', 'Hansen Kaffee KG'];
const client = (i, name = names[i]) => { const nr = pad(10023 + i * 7, 10); return { __metadata: meta('Debitor', nr), Debitorennummer: nr, EoriNummer: 'DE' + pad(88123450 + i * 3191, 9), Name1: name, Ort: ['Köln', 'Bremen'][i % 2], Angelegt: odataDate(i), Ansprechpartner: { results: [{ Rolle: 'EK', Telefon: '+49 221 4' + i }, { Rolle: 'FI', Telefon: '+49 221 7' + i }] } }; };
const clients = names.map((_, i) => client(i));
const claim = (i, debitor = clients[i % 8].Debitorennummer) => { const key = pad(500000 + i * 37 + 9, 12); return { __metadata: meta('Antrag', key), Antragsnummer: `EA-2026-${pad(i + 1, 5)}`, Belegschluessel: key, Debitorennummer: debitor, Antragsart: ['CAPE', 'EINSPRUCH'][i % 2], Antragsstatus: ['OFFEN', 'EINGEREICHT', 'BEWILLIGT'][i % 3], Erstattungsbetrag: comma(120000 + rnd(4000000)), Waehrung: 'USD', Eingang: odataDate(i) }; };
const claims = Array.from({ length: 23 }, (_, i) => claim(i));
const endpointIds = [1, 2, 3].map(i => uuid('kessler endpoint ' + i));
const endpoint = (i, b = {}) => ({ id: endpointIds[i] ?? uuid('kessler endpoint ' + (i + 1)), label: b.label ?? ['Produktivempfänger', 'Testempfänger', 'Altsystem'][i], url: b.url ?? `https://hooks.partner.example/kessler/${i}`, subscribedEvents: b.subscribedEvents ?? ['partner.test', 'partner.credential.rotated'], environmentScope: b.environmentScope ?? ['production', 'sandbox', 'all'][i], secretPrefix: 'whsec_' + uuid('ks' + i).slice(0, 6), status: b.label ? 'active' : ['active', 'active', 'disabled'][i], letzteZustellung: b.label ? null : day(40 + i) });
const endpoints = [0, 1, 2].map(i => endpoint(i));
// An event goes to one or two receivers: EreignisId repeats on later pages, never within the first page.
const deliveries = Array.from({ length: 12 }, (_, i) => ({ Zustellnummer: 90417 + i * 3, EreignisId: uuid('kessler event ' + (i % 8)), EndpunktId: endpointIds[i < 8 ? 0 : 1], Ereignis: ['partner.test', 'partner.credential.rotated'][i % 2], status: ['delivered', 'delivered', 'retrying', 'failed'][i % 4], attemptCount: 1 + i % 4, lastResponseStatus: [200, 204, 503, 410][i % 4], lastError: [null, null, 'Zeitüberschreitung beim Empfänger', 'Empfänger antwortet mit 410'][i % 4], lastAttemptAt: day(30 + i), nextAttemptAt: i % 4 === 2 ? day(31 + i) : null, deliveredAt: i % 4 < 2 ? day(30 + i) : null }));
const offer = (i, key = claims[i * 5].Belegschluessel) => ({ __metadata: meta('Angebot', 'AN' + (3001 + i)), Angebotsnummer: 'AN' + (3001 + i), Belegschluessel: key, Vorschussbetrag: comma(90000 + rnd(900000)), Vorschussquote: '0,65', GueltigBis: odataDate(80 + i) });
const offers = [0, 1, 2, 3].map(i => offer(i));
const ledger = Array.from({ length: 9 }, (_, i) => ({ Buchungsnummer: pad(77001 + i, 8), Belegschluessel: claims[i * 2].Belegschluessel, Buchungsart: ['PROVISION', 'GUTSCHRIFT'][i % 2], Betrag: comma(5000 + rnd(200000)), Waehrung: 'USD', Buchungsdatum: day(20 + i) }));

const WORDS = { queued: 'EINGEGANGEN', processing: 'IN_ARBEIT', completed: 'ABGESCHLOSSEN', partial: 'TEILERLEDIGT', failed: 'ABGEBROCHEN' };
const PHASE = { queued: 'ANNAHME', processing: 'TARIFIERUNG', completed: 'ARCHIV', partial: 'ARCHIV', failed: 'ARCHIV' };
const sum = job => job.entries.reduce((s, e) => s + Math.round(Number(e.ieepa_duty_paid) * 100), 0);
const used = (job, state) => state === 'partial' ? job.entries.slice(0, -1) : job.entries;
const jobRecord = (job, state) => ({ __metadata: meta('Auftrag', job.id), Korrelation: job.trace, Auftragsschluessel: job.id, Vorgangsnummer: pad(8800100 + job.n, 10), Verkaeufer: job.seller, Bearbeitungsstand: WORDS[state], Pruefphase: PHASE[state], Fehlerzaehler: state === 'partial' ? 1 : 0, Angelegt: odataDate(59) });
const ERRORS = {
  unauthorized: [401, 'ZRV/001', () => 'Anmeldung fehlgeschlagen. Prüfen Sie den API-Schlüssel.'], unknownJob: [404, 'ZRV/017', id => `Ein Auftrag ${id} ist nicht vorhanden.`],
  notReady: [404, 'ZRV/044', () => 'Zu diesem Auftrag liegt noch kein Ergebnis vor.'], conflict: [409, 'ZRV/045', () => 'Der Auftrag kann in diesem Stand nicht fortgesetzt werden.'],
  unknownClaim: [404, 'ZRV/018', id => `Ein Antrag ${id} ist nicht vorhanden.`], unknownScan: [404, 'ZRV/019', () => 'Der Bestandslauf ist nicht vorhanden.'],
  invalid: [422, 'ZRV/030', what => `Pflichtangabe fehlt oder ist ungültig: ${what}.`], unknownRoute: [404, 'ZRV/002', () => 'Die Ressource ist nicht vorhanden.'], internal: [500, 'ZRV/999', () => 'Interner Fehler.'],
};
const SIZE = 6;
start({
  apiKey: 'kzr_test_7f3a91c2', data: { clients, claims, endpoints, deliveries, offers, ledger },
  headers: () => ({ DataServiceVersion: '2.0' }),
  jobId: n => uuid('kessler job ' + n).toUpperCase(),
  list(name, items, { query, base, path }) {
    if (name === 'endpoints') return json(200, { d: { results: items } });
    const m = /^K(\d+)$/.exec(Buffer.from(query.get('$skiptoken') ?? '', 'base64url').toString());
    // Server-driven paging by scan: the first segment of the ledger holds nothing of this partner.
    const shift = name === 'ledger' ? SIZE : 0;
    const from = (m ? Number(m[1]) : 0) - shift;
    const results = items.slice(Math.max(0, from), Math.max(0, from + SIZE));
    const d = { results };
    if (name === 'claims') d.__count = String(items.length + 8); else if (name === 'clients') d.__count = String(items.length);
    if (from + SIZE < items.length) {
      const next = new URLSearchParams(query); next.set('$skiptoken', Buffer.from('K' + (from + SIZE + shift)).toString('base64url'));
      d.__next = `${base}${path}?${next}`;
    }
    return json(200, { d });
  },
  filterDeliveries: (items, q) => q.get('EndpunktId') ? items.filter(x => x.EndpunktId === q.get('EndpunktId')) : items,
  findClaim: id => claims.find(c => c.Belegschluessel === id),
  record: (kind, value, status, ctx, extra) => json(status, { d: { ...value, ...extra } }),
  create: { endpoint: (b, n) => endpoint(n, b), client: (b, n) => client(n, b.name ?? 'Neuer Debitor'), claim: (b, n) => claim(n, b.clientId), offer: (b, n) => offer(n, b.claimId ?? claims[0].Belegschluessel),
    scan: (b, n) => ({ Laufschluessel: uuid('kessler scan ' + n), Laufstand: 'ABGESCHLOSSEN', Angelegt: odataDate(59) }), notification: (b, n) => ({ Mitteilungsnummer: 61000 + n, Versandstand: 'VORGEMERKT' }), enrollment: (b, n) => ({ Klagenummer: 'KL' + (700 + n), Stand: 'VORGEMERKT' }) },
  dashboard: { Zeitraum: '2026-11', Provision: '18234,10', AnzahlAntraege: 23 }, organization: id => ({ Partnernummer: id, Name1: 'Partner Muster GmbH', Freigabe: 'ERTEILT' }), scanId: s => s.Laufschluessel, summary: s => ({ Laufschluessel: s.Laufschluessel, Positionen: 412, Erstattungsfaehig: '88120,55' }),
  preview: e => ({ Ereignis: e.event, Kopfzeilen: { 'X-Service-Event': e.event, 'X-Service-Timestamp': e.timestamp, 'X-Service-Signature': e.signature }, Inhalt: e.payload }),
  submit(job) { job.trace = uuid('kessler trace ' + job.n); return json(202, { d: { Korrelation: job.trace, Annahme: { Vorgangsnummer: pad(8800100 + job.n, 10), Auftragsschluessel: job.id, Verkaeufer: job.seller }, Hinweis: 'Der Auftrag wurde in die Warteschlange gestellt.' } }); },
  status: (job, state) => json(200, { d: jobRecord(job, state) }),
  resume: (job, state) => json(202, { d: jobRecord(job, state) }),
  report: (job, state) => json(200, { d: { Auftragsschluessel: job.id, Bericht: { Vertragsversion: '2026-10', Vollstaendig: state === 'completed', Positionen: used(job, state).length, Zollsumme: comma(sum(job)), rf8Review: { Ergebnis: state === 'completed' ? 'FREI' : 'BEDINGT', Punkte: state === 'completed' ? 92 : 61, Auflagen: state === 'completed' ? [] : ['NACHREICHUNG'] } } } }),
  dataset: (job, state) => ({ status: 200, headers: { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': `attachment; filename="${job.id}.csv"` }, body: ['Zollanmeldung;Anmeldedatum;Importeur;Warenwert;IEEPA-Zoll;Weg', ...used(job, state).map(e => [e.entry_number, e.entry_date.split('-').reverse().join('.'), `"${e.importer_name}"`, e.entered_value.replace('.', ','), e.ieepa_duty_paid.replace('.', ','), 'CAPE'].join(';'))].join('\r\n') + '\r\n' }),
  error(kind, detail, ctx) { const [status, code, message] = ERRORS[kind]; return json(status, { error: { code, message: { lang: 'de', value: message(detail) }, innererror: { transactionid: uuid('t' + ctx.n).replaceAll('-', '').toUpperCase(), anwendung: 'ZRV' } } }); },
  token: t => json(200, { access_token: t, token_type: 'Bearer', expires_in: 3600 }),
  openapi: base => {
    const page = item => ({ parameters: [['$skiptoken', 'string', 'opaque, taken from __next'], ['$top', 'integer', 'ignored']], schema: obj({ d: obj({ results: arr(obj(item)), __next: str, __count: str }) }) });
    const job = obj({ d: obj({ Korrelation: str, Auftragsschluessel: str, Vorgangsnummer: str, Bearbeitungsstand: str, Pruefphase: str }) });
    return openapi('Kessler ZRV', '2026-10', base, { lists: { clients: page({ Debitorennummer: str, EoriNummer: str, Name1: str }), claims: page({ Antragsnummer: str, Belegschluessel: str, Debitorennummer: str }), offers: page({ Angebotsnummer: str, Belegschluessel: str }), ledger: page({ Buchungsnummer: str, Betrag: str }), endpoints: { schema: obj({ d: obj({ results: arr(obj({ id: str, label: str })) }) }) }, deliveries: page({ Zustellnummer: int, EreignisId: str, EndpunktId: str }) },
      others: { '/v1/diligence/submit': ['post', 'Auftrag anlegen', '202', obj({ d: obj({ Korrelation: str, Annahme: obj({ Vorgangsnummer: str, Auftragsschluessel: str }) }) })], '/v1/diligence/status/{jobId}': ['get', 'Stand', '200', job] } });
  },
});
