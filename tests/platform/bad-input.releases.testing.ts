import type { BadRequest } from './bad-input.testing.ts'

/** Policies, releases and reviews that must be refused: data for bad-input.test.ts. The ruleset `rule` was saved once. */

const POLICY = 'POST /api/v1/projects/{project}/release-policies'
const PUT_POLICY = 'PUT /api/v1/projects/{project}/release-policies/{policy}'
const RELEASE = 'POST /api/v1/projects/{project}/releases'
const PREVIEW = 'POST /api/v1/projects/{project}/releases/preview'
const LIST = 'GET /api/v1/projects/{project}/releases'
const ONE = '/api/v1/projects/{project}/releases/{release}'

const SIGNATURE = { algorithm: 'ed25519', public_key: 'A'.repeat(43) + '=', signature: 'A'.repeat(86) + '==' }

const policy = (more: object) => ({ name: 'new', ...more })
const approvers = (more: object) => policy({ approvers: more })
const window = (more: object) => policy({ freeze_window: { cron: '0 22 * * 5', duration: '2h', ...more } })
const release = (more: object) => ({
  title: 'new',
  rulesets: [{ name: 'rule', from_seq: 1 }],
  environments: ['prod'],
  ...more,
})
const rulesets = (...list: object[]) => release({ rulesets: list })
const saved = { name: 'rule', from_seq: 1 }

const policies: readonly BadRequest[] = [
  {
    title: 'an unknown contract mode',
    route: POLICY,
    body: policy({ require_contract_mode: 'strict' }),
    status: 400,
    at: '/require_contract_mode',
  },
  {
    title: 'a contract mode that requires nothing',
    route: PUT_POLICY,
    body: { require_contract_mode: 'off' },
    status: 400,
    at: '/require_contract_mode',
  },
  { title: 'a forbidden word', route: POLICY, body: policy({ forbid: ['DENY'] }), status: 400, at: '/forbid/0' },
  {
    title: 'a forbidden blank',
    route: POLICY,
    body: policy({ forbid: ['A->B', ' -> B'] }),
    status: 400,
    at: '/forbid/1',
  },
  { title: 'a forbidden chain', route: PUT_POLICY, body: { forbid: ['A->B->C'] }, status: 400, at: '/forbid/0' },
  { title: 'a share above 100', route: POLICY, body: policy({ max_changed: 101 }), status: 400, at: '/max_changed' },
  { title: 'a share in a text', route: PUT_POLICY, body: { max_changed: '2%' }, status: 400, at: '/max_changed' },
  {
    title: 'a coverage of nothing',
    route: POLICY,
    body: policy({ require_coverage: {} }),
    status: 400,
    at: '/require_coverage',
  },
  {
    title: 'an unknown coverage',
    route: POLICY,
    body: policy({ require_coverage: { lines: 90 } }),
    status: 400,
    kind: 'unknown-field',
  },
  { title: 'without a name', route: POLICY, body: {}, status: 400, at: '/name' },
  { title: 'an empty name', route: POLICY, body: { name: '' }, status: 400, at: '/name' },
  { title: 'a name in use', route: POLICY, body: { name: 'rule' }, status: 409, kind: 'duplicate' },
  {
    title: 'a negative count',
    route: POLICY,
    body: approvers({ min_count: -1 }),
    status: 400,
    at: '/approvers/min_count',
  },
  {
    title: 'half a person',
    route: POLICY,
    body: approvers({ min_count: 1.5 }),
    status: 400,
    at: '/approvers/min_count',
  },
  { title: 'a crowd', route: POLICY, body: approvers({ min_count: 1e6 }), status: 400, at: '/approvers/min_count' },
  {
    title: 'an unknown role',
    route: POLICY,
    body: approvers({ roles: ['king'] }),
    status: 400,
    at: '/approvers/roles/0',
  },
  { title: 'an unknown member', route: POLICY, body: approvers({ except: [] }), status: 400, kind: 'unknown-field' },
  {
    title: 'a role in a text',
    route: POLICY,
    body: approvers({ roles: 'admin' }),
    status: 400,
    at: '/approvers/roles',
  },
  {
    title: 'an unknown environment',
    route: POLICY,
    body: policy({ match: { environments: ['prod', 'moon'] } }),
    status: 400,
    at: '/match/environments/1',
  },
  { title: 'a priority of a text', route: POLICY, body: policy({ priority: '1' }), status: 400, at: '/priority' },
  {
    title: 'cron of six fields',
    route: POLICY,
    body: window({ cron: '0 0 22 * * 5' }),
    status: 400,
    at: '/freeze_window/cron',
  },
  {
    title: 'cron of words',
    route: POLICY,
    body: window({ cron: 'every friday at ten pm' }),
    status: 400,
    at: '/freeze_window/cron',
  },
  {
    title: 'a day that never comes',
    route: POLICY,
    body: window({ cron: '0 0 31 2 *' }),
    status: 400,
    at: '/freeze_window/cron',
  },
  {
    title: 'a duration without a unit',
    route: POLICY,
    body: window({ duration: '2' }),
    status: 400,
    at: '/freeze_window/duration',
  },
  {
    title: 'a duration of nothing',
    route: POLICY,
    body: window({ duration: '0h' }),
    status: 400,
    at: '/freeze_window/duration',
  },
  {
    title: 'an offset for a zone',
    route: POLICY,
    body: window({ time_zone: '+02:00' }),
    status: 400,
    at: '/freeze_window/time_zone',
  },
  {
    title: 'an unknown zone',
    route: POLICY,
    body: window({ time_zone: 'Mars/Olympus' }),
    status: 400,
    at: '/freeze_window/time_zone',
  },
  {
    title: 'a freeze window with an unknown member',
    route: POLICY,
    body: window({ timezone: 'Europe/Berlin' }),
    status: 400,
    at: '/freeze_window/timezone',
  },
  {
    title: 'a window without a duration',
    route: POLICY,
    body: policy({ freeze_window: { cron: '0 22 * * 5' } }),
    status: 400,
  },
  {
    title: 'a change to an unknown role',
    route: PUT_POLICY,
    body: { approvers: { roles: ['x'] } },
    status: 400,
    at: '/approvers/roles/0',
  },
  {
    title: 'a change of an unknown member',
    route: PUT_POLICY,
    body: { project_id: 'x' },
    status: 400,
    kind: 'unknown-field',
  },
  {
    title: 'a change of an older revision',
    route: PUT_POLICY,
    body: { priority: 1 },
    headers: { 'if-match': '"9"' },
    status: 409,
    kind: 'stale',
  },
  { title: 'an unknown policy', route: 'DELETE /api/v1/projects/{project}/release-policies/{project}', status: 404 },
]

const releases: readonly BadRequest[] = [
  { title: 'without rulesets', route: RELEASE, body: release({ rulesets: [] }), status: 400, at: '/rulesets' },
  {
    title: 'without environments',
    route: RELEASE,
    body: release({ environments: [] }),
    status: 400,
    at: '/environments',
  },
  { title: 'without a title', route: RELEASE, body: release({ title: '' }), status: 400, at: '/title' },
  {
    title: 'an unknown ruleset',
    route: RELEASE,
    body: rulesets({ name: 'none', from_seq: 1 }),
    status: 400,
    at: '/rulesets/0/name',
  },
  {
    title: 'an unknown save',
    route: RELEASE,
    body: rulesets({ name: 'rule', from_seq: 7 }),
    status: 400,
    at: '/rulesets/0/from_seq',
  },
  { title: 'save 0', route: RELEASE, body: rulesets({ name: 'rule', from_seq: 0 }), status: 400 },
  { title: 'a save beyond all numbers', route: RELEASE, body: rulesets({ name: 'rule', from_seq: 1e18 }), status: 400 },
  {
    title: 'no save',
    route: RELEASE,
    body: rulesets({ name: 'rule' }),
    status: 400,
    at: '/rulesets/0/from_seq',
  },
  { title: 'a ruleset twice', route: RELEASE, body: rulesets(saved, saved), status: 400, at: '/rulesets/1/name' },
  {
    title: 'a save that is removed as well',
    route: RELEASE,
    body: rulesets({ ...saved, remove: true }),
    status: 400,
    at: '/rulesets/0',
  },
  {
    title: 'an invalid removal',
    route: RELEASE,
    body: rulesets({ name: 'rule', remove: false }),
    status: 400,
    at: '/rulesets/0/from_seq',
  },
  {
    title: 'a ruleset with an unknown member',
    route: RELEASE,
    body: rulesets({ ...saved, version: '1' }),
    status: 400,
    at: '/rulesets/0/version',
  },
  {
    title: 'a removal of a ruleset that is not live',
    route: RELEASE,
    body: rulesets({ name: 'rule', remove: true }),
    status: 400,
    at: '/rulesets/0/remove',
  },
  {
    title: 'a deleted ruleset',
    route: RELEASE,
    body: rulesets({ name: 'gone', from_seq: 1 }),
    status: 400,
    at: '/rulesets/0/name',
  },
  {
    title: 'an unknown environment',
    route: RELEASE,
    body: release({ environments: ['moon'] }),
    status: 400,
    at: '/environments/0',
  },
  {
    title: 'an environment twice',
    route: RELEASE,
    body: release({ environments: ['prod', 'prod'] }),
    status: 400,
    at: '/environments/1',
  },
  { title: 'an unknown member', route: RELEASE, body: release({ approved: true }), status: 400, kind: 'unknown-field' },
  { title: 'an acknowledgement in words', route: RELEASE, body: release({ acknowledge_breaking: 'yes' }), status: 400 },
  {
    title: 'a preview of an unknown ruleset',
    route: PREVIEW,
    body: rulesets({ name: 'none', from_seq: 1 }),
    status: 400,
  },
  { title: 'a list of an unknown status', route: `${LIST}?status=done`, status: 400 },
  { title: 'a list sorted by name', route: `${LIST}?sort=name`, status: 400 },
  { title: 'a list with an unknown filter', route: `${LIST}?author=me`, status: 400 },
  { title: 'an unknown release', route: 'GET /api/v1/projects/{project}/releases/{policy}', status: 404 },
  { title: 'a release by its number', route: 'GET /api/v1/projects/{project}/releases/1', status: 404 },
  { title: 'a history from nowhere', route: `GET ${ONE}/history?cursor=x`, status: 400 },
  {
    title: 'a history of an unknown ruleset',
    route: 'GET /api/v1/projects/{project}/rulesets/none/history',
    status: 404,
  },
]

const reviews: readonly BadRequest[] = [
  { title: 'a rejection without a reason', route: `POST ${ONE}/reject`, body: {}, status: 400, at: '/reason' },
  {
    title: 'a rejection because of blanks',
    route: `POST ${ONE}/reject`,
    body: { reason: '  ' },
    status: 400,
    at: '/reason',
  },
  { title: 'a rejection without a body', route: `POST ${ONE}/reject`, status: 415 },
  {
    title: 'signed under a name that it does not have',
    route: `PUT ${ONE}/signatures/none`,
    body: SIGNATURE,
    status: 404,
  },
  {
    title: 'signed by another algorithm',
    route: `PUT ${ONE}/signatures/none`,
    body: { ...SIGNATURE, algorithm: 'rsa' },
    status: 400,
    at: '/algorithm',
  },
  {
    title: 'signed at no time',
    route: `PUT ${ONE}/signatures/none`,
    body: { ...SIGNATURE, signed_at: 'today' },
    status: 400,
    at: '/signed_at',
  },
  {
    title: 'with an invalid trusted key',
    route: 'PUT /api/v1/orgs/{org}/trusted-keys',
    body: { public_keys: ['AAAA'] },
    status: 400,
    at: '/public_keys/0',
  },
  { title: 'with a comment without a text', route: `POST ${ONE}/comments`, body: {}, status: 400, at: '/text' },
  { title: 'with an empty comment', route: `POST ${ONE}/comments`, body: { text: '' }, status: 400, at: '/text' },
  { title: 'with a comment of blanks', route: `POST ${ONE}/comments`, body: { text: ' \n' }, status: 400, at: '/text' },
  {
    title: 'with a comment of 10,001 characters',
    route: `POST ${ONE}/comments`,
    body: { text: 'x'.repeat(10_001) },
    status: 400,
    at: '/text',
  },
  {
    title: 'with a comment that names its author',
    route: `POST ${ONE}/comments`,
    body: { text: 'x', created_by: 'me' },
    status: 400,
    at: '/created_by',
  },
  { title: 'with a missing comment', route: `GET ${ONE}/comments/x`, status: 404 },
  {
    title: 'an approval of something else',
    route: `POST ${ONE}/approve`,
    body: { content_digest: 'x' },
    status: 409,
    kind: 'stale',
  },
  {
    title: 'an approval in the name of another',
    route: `POST ${ONE}/approve`,
    body: { user: 'x' },
    status: 400,
    kind: 'unknown-field',
  },
  {
    title: 'a comment of 3,000 characters',
    route: `POST ${ONE}/approve`,
    body: { comment: 'x'.repeat(3000) },
    status: 400,
    at: '/comment',
  },
  {
    title: 'a cancellation with a reason',
    route: `POST ${ONE}/cancel`,
    body: { reason: 'x' },
    status: 400,
    kind: 'unknown-field',
  },
]

export const BAD_RELEASES: readonly (readonly [string, readonly BadRequest[]])[] = [
  ['a release policy', policies],
  ['a release', releases],
  ['a review', reviews],
]
