// Lumière Remboursements: PHP and Rails taste. Bare arrays, Link header, plain-text errors, French names, an object by number whose key is not the id.
import { start, uuid, randomFrom, json, text } from '../kit.mjs';
const rnd = randomFrom(1789);
const ms = (d, h = 0) => Date.UTC(2026, 9, 1 + d, h, 30);
const names = ['Atelier Jouets', 'Bois & Fils', 'Café Montmartre', 'Draps du Nord', 'Éclairage Sud', 'Ferronnerie Lyon', 'Gants Millau', 'Horlogerie Jura', 'Import Azur'];
const client = (i, nom = names[i]) => ({ id: 3401 + i * 17, nom, siren: String(552100554 + i * 104729), ville: ['Lyon', 'Lille'][i % 2], cree_le: ms(i) });
const clients = names.map((_, i) => client(i));
// Keys of the object are the numbers of the files. The identifier that the API accepts is "identifiant".
const claim = (i, client_id = clients[i % 9].id) => ({ numero: `2026-${String(140 + i * 3).padStart(4, '0')}`, identifiant: 88213 + i * 5, client_id, etape: ['ouvert', 'depose', 'paye'][i % 3], montant: (150000 + rnd(3000000)) / 100, cree_le: ms(10 + i) });
const claims = Array.from({ length: 23 }, (_, i) => claim(i));
const endpointIds = [1, 2, 3].map(i => uuid('lumiere endpoint ' + i));
const endpoint = (i, b = {}) => ({ id: endpointIds[i] ?? uuid('lumiere endpoint ' + (i + 1)), label: b.label ?? ['production', 'recette', 'ancien'][i], url: b.url ?? `https://crochets.example.fr/${i}`, subscribedEvents: b.subscribedEvents ?? ['partner.test'], environmentScope: b.environmentScope ?? ['production', 'sandbox', 'all'][i], secretPrefix: 'whsec_' + uuid('ls' + i).slice(0, 6), status: b.label ? 'active' : ['active', 'active', 'revoked'][i], dernier_succes: b.label ? null : ms(50 + i) });
const endpoints = [0, 1, 2].map(i => endpoint(i));
const deliveries = Array.from({ length: 12 }, (_, i) => ({ empreinte: uuid('lumiere print ' + i).replaceAll('-', ''), cle_envoi: 'env_' + (70021 + i * 4), crochet: endpointIds[i % 2], evenement: 'partner.test', status: ['delivered', 'failed', 'delivered', 'retrying'][i % 4], attemptCount: [1, 6, 2, 3][i % 4], lastResponseStatus: [200, 500, 200, 503][i % 4], lastError: [null, 'réponse 500', null, 'réponse 503'][i % 4], lastAttemptAt: ms(54, i), nextAttemptAt: i % 4 === 3 ? ms(60, i) : null, deliveredAt: i % 2 ? null : ms(54, i) }));
const offer = (i, dossier = claims[i * 5].identifiant) => ({ id: 510 + i, dossier, avance: (80000 + rnd(900000)) / 100, expire_le: ms(90 + i) });
const offers = [0, 1, 2, 3].map(i => offer(i));
const ledger = Array.from({ length: 17 }, (_, i) => ({ id: 90300 + i, dossier: claims[i].identifiant, montant: (4000 + rnd(90000)) / 100, sens: ['credit', 'debit'][i % 2], date: ms(30 + i) }));

const WORD = { queued: 'en_attente', processing: 'en_cours', completed: 'valide', partial: 'termine', failed: 'echoue' };
const used = (job, state) => state === 'partial' ? job.entries.slice(0, -1) : job.entries;
const jobDoc = (job, state) => ({ suivi: { reference: job.id, etat: WORD[state], file: { queued: 'standard', processing: 'rapide' }[state] ?? 'sortie', reprise: state === 'partial' || state === 'failed' ? 'oui' : 'non', vendeur: job.seller, lignes: job.entries.length, depose_le: ms(59, 1) } });
const ERRORS = {
  unauthorized: [401, () => ''], unknownJob: [404, () => 'Dossier de diligence introuvable.'], notReady: [425, () => 'Le rapport n’est pas encore disponible.'], conflict: [409, () => 'Ce dossier ne peut pas être repris.'],
  unknownClaim: [404, () => 'Demande introuvable.'], unknownScan: [404, () => 'Analyse introuvable.'], invalid: [422, what => `Champs manquants ou invalides : ${what}.`], unknownRoute: [404, () => 'Page introuvable.'], internal: [500, () => 'Erreur interne.'],
};
const SIZE = 8;
start({
  apiKey: 'lum_bac_a_sable_8842', data: { clients, claims, endpoints, deliveries, offers, ledger },
  headers: ctx => ({ 'X-Correlation-Id': uuid('lumiere corr ' + ctx.n) }),
  jobId: n => uuid('lumiere job ' + n),
  list(name, items, { query, base, path, n }) {
    if (name === 'endpoints') return json(200, items);
    const page = Number(query.get('page') ?? 1);
    if (!Number.isInteger(page) || page < 1) return text(400, 'Numéro de page invalide.');
    const pages = Math.max(1, Math.ceil(items.length / SIZE)), rows = items.slice((page - 1) * SIZE, page * SIZE);
    const q = new URLSearchParams(query), link = (p, r) => { q.set('page', p); return `<${base}${path}?${q}>; rel=${r}`; };
    // rel without quotes, first and last before next; the header is absent if there is one page.
    const links = [link(1, 'first'), link(pages, 'last')]; if (page > 1) links.push(link(page - 1, '"prev"')); if (page < pages) links.push(link(page + 1, '"next"; title="suite, page ' + (page + 1) + '"'));
    const headers = { ...(pages > 1 && { Link: links.join(', ') }), 'X-Total-Count': String(name === 'claims' ? 58 : items.length) };
    if (name === 'claims') return json(200, { demandes: Object.fromEntries(rows.map(r => [r.numero, r])) }, headers);
    return json(200, rows, headers);
  },
  filterDeliveries: (items, q) => q.get('crochet') ? items.filter(x => x.crochet === q.get('crochet')) : items,
  findClaim: id => claims.find(c => String(c.identifiant) === id),
  record: (kind, value, status, ctx, extra) => json(status, { ...value, ...extra }),
  create: { endpoint: (b, n) => endpoint(n, b), client: (b, n) => client(n, b.name ?? 'Nouveau client'), claim: (b, n) => claim(n, Number(b.clientId) || clients[0].id), offer: (b, n) => offer(n, Number(b.claimId) || claims[0].identifiant),
    scan: (b, n) => ({ id: 1200 + n, etat: 'valide', cree_le: ms(59, 2) }), notification: (b, n) => ({ id: 6600 + n, etat: 'programmee' }), enrollment: (b, n) => ({ id: 4400 + n, etat: 'inscrit' }) },
  dashboard: { mois: '2026-11', revenu: 18234.1, demandes: 23 }, organization: id => ({ id, nom: 'Partenaire Démo SARL' }), scanId: s => s.id, summary: s => ({ id: s.id, lignes: 412, remboursable: 88120.55 }),
  preview: e => ({ entetes: { 'X-Service-Event': e.event, 'X-Service-Timestamp': e.timestamp, 'X-Service-Signature': e.signature }, contenu: e.payload }),
  submit: (job, ctx) => json(202, { accuse: { correlation: { reference: uuid('lumiere corr ' + ctx.n) }, depot: { reference: job.id }, vendeur: job.seller, recu_le: ms(59, 1) } }),
  status: (job, state) => json(200, jobDoc(job, state)),
  resume: () => ({ status: 202, headers: {}, body: '' }),
  report: (job, state) => json(200, { reference: job.id, rapport: { vendeur: job.seller, complet: state === 'completed', ecritures: used(job, state).length, synthese: { rf8Review: { avis: state === 'completed' ? 'favorable' : 'reserve', note: state === 'completed' ? 17 : 11, reserves: [] } } } }),
  dataset: (job, state) => json(200, { reference: job.id, lignes: used(job, state).map((e, i) => ({ rang: i + 1, declaration: e.entry_number, importateur: e.importer_name, droits: Number(e.ieepa_duty_paid), voie: 'CAPE' })) }),
  error(kind, detail) { const [status, message] = ERRORS[kind]; return text(status, message(detail), status === 401 ? { 'WWW-Authenticate': 'Bearer realm="lumiere"' } : {}); },
  token: t => json(200, { jeton: t, access_token: t, duree: 600 }),
  openapi: null,
});
