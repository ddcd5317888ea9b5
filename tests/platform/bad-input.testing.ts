import { BAD_ARCHIVES } from './bad-input.archives.testing.ts'
import { BAD_IMPORTS } from './bad-input.interchange.testing.ts'
import { CATALOG_REQUESTS } from './bad-input.catalog.testing.ts'
import { EVENT_REQUESTS } from './bad-input.events.testing.ts'

/** Requests that must be refused, and how: data for bad-input.test.ts. */
import { INTEGRATIONS } from './bad-input.integrations.testing.ts'
import { BAD_RECORDINGS } from './bad-input.recording.testing.ts'
import { BAD_RELEASES } from './bad-input.releases.testing.ts'
import { BAD_ROLLOUTS } from './bad-input.rollouts.testing.ts'

/** One request of the owner of an organization. */
export interface BadRequest {
  readonly title: string
  /** Method and path, with the test's own names in braces: `{org}`, `{role}`, `{key}`, … */
  readonly route: string
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  /** The JSON pointer of the first detail. */
  readonly at?: string
  /** The code of the first detail. */
  readonly kind?: string
  /** A part of the message. */
  readonly says?: string
}

const json = (text: string) => text
const many = (count: number) => Array.from({ length: count }, () => 'project.read')
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
/** JSON escapes of texts that no database stores, or that UTF-8 cannot express. */
const [NUL, HIGH, LOW] = [String.raw`\u0000`, String.raw`\ud800`, String.raw`\udc00`]

const ORG = 'POST /api/v1/orgs'
const PUT_ORG = 'PUT /api/v1/orgs/{org}'
const SUB = 'POST /api/v1/orgs/{org}/sub-orgs'
const ROLE = 'POST /api/v1/orgs/{org}/roles'
const PUT_ROLE = 'PUT /api/v1/orgs/{org}/roles/{role}'
const MEMBER = 'POST /api/v1/orgs/{org}/members'
const MEMBER_ROLES = 'PUT /api/v1/orgs/{org}/members/{guest}/roles'
const KEY = 'POST /api/v1/orgs/{org}/api-keys'
const AUDIT = 'GET /api/v1/orgs/{org}/audit'
const ME = 'PUT /api/v1/me'
const ACCEPT = 'POST /api/v1/invitations/accept'

const bodies: readonly BadRequest[] = [
  { title: 'no body', route: ORG, status: 415 },
  { title: 'an empty body', route: ORG, body: '', status: 400 },
  { title: 'a body that ends early', route: ORG, body: '{"name":"x"', status: 400 },
  { title: 'two values', route: ORG, body: '{"name":"x"} {}', status: 400 },
  { title: 'a comment', route: ORG, body: '{"name":"x"/* */}', status: 400 },
  { title: 'a list', route: ORG, body: [], status: 400, at: '' },
  { title: 'a text', route: ORG, body: '"name"', status: 400, at: '' },
  { title: 'a number', route: ORG, body: '7', status: 400, at: '' },
  { title: 'null', route: ORG, body: 'null', status: 400, at: '' },
  { title: 'a byte order mark in the middle', route: ORG, body: '{\uFEFF"name":"x"}', status: 400 },
  { title: 'NaN', route: ORG, body: '{"name":NaN}', status: 400 },
  { title: 'deep nesting', route: ORG, body: `{"name":${nested(200)}}`, status: 400 },
  { title: 'deep nesting that never ends', route: ORG, body: '['.repeat(100_000), status: 400 },
  { title: 'deep nesting of objects', route: ORG, body: '{"a":'.repeat(5000), status: 400 },
  { title: 'a huge number', route: ORG, body: '{"name":1e400}', status: 400 },
  { title: 'a number of 10,000 digits', route: ORG, body: `{"name":${'9'.repeat(10_000)}}`, status: 400 },
  { title: 'a member twice', route: ORG, body: '{"name":"x","name":"y"}', status: 400 },
  { title: 'a member twice, once escaped', route: ORG, body: String.raw`{"name":"x","n\u0061me":"y"}`, status: 400 },
  { title: '__proto__', route: ORG, body: '{"name":"x","__proto__":{"rev":7}}', status: 400, kind: 'unknown-field' },
  { title: 'constructor', route: ORG, body: '{"name":"x","constructor":1}', status: 400, kind: 'unknown-field' },
  { title: 'more than 1 MiB', route: ORG, body: { name: 'x'.repeat(1024 * 1024) }, status: 413 },
  { title: 'text', route: ORG, body: '{}', headers: { 'content-type': 'text/plain' }, status: 415 },
  {
    title: 'a form',
    route: ORG,
    body: 'name=x',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    status: 415,
  },
  {
    title: 'JSON in UTF-16',
    route: ORG,
    body: '{}',
    headers: { 'content-type': 'application/json; charset=utf-16' },
    status: 415,
  },
  { title: 'an unknown encoding', route: ORG, body: '{}', headers: { 'content-encoding': 'snappy' }, status: 415 },
  { title: 'a body that is not gzip', route: ORG, body: '{}', headers: { 'content-encoding': 'gzip' }, status: 400 },
]

const organizations: readonly BadRequest[] = [
  { title: 'without a name', route: ORG, body: {}, status: 400, at: '/name' },
  { title: 'with a name of another type', route: ORG, body: { name: 7 }, status: 400, at: '/name' },
  { title: 'with a name that is a list', route: ORG, body: { name: ['x'] }, status: 400, at: '/name' },
  { title: 'with the name null', route: ORG, body: { name: null }, status: 400, at: '/name' },
  { title: 'with an empty name', route: ORG, body: { name: '' }, status: 400, at: '/name' },
  { title: 'with a name of blanks', route: ORG, body: { name: ' \u3000 ' }, status: 400, at: '/name' },
  { title: 'with a long name', route: ORG, body: { name: 'x'.repeat(201) }, status: 400, at: '/name' },
  { title: 'with a line break in its name', route: ORG, body: { name: 'a\nb' }, status: 400, at: '/name' },
  { title: 'with a C1 control in its name', route: ORG, body: { name: 'a\u0085b' }, status: 400, at: '/name' },
  { title: 'with NUL in its name', route: ORG, body: json(`{"name":"a${NUL}b"}`), status: 400, at: '/name' },
  { title: 'with half a surrogate pair', route: ORG, body: json(`{"name":"a${HIGH}b"}`), status: 400, at: '/name' },
  { title: 'with the other half', route: ORG, body: json(`{"name":"${LOW}b"}`), status: 400, at: '/name' },
  {
    title: 'with a long description',
    route: ORG,
    body: { name: 'x', description: 'x'.repeat(2001) },
    status: 400,
    at: '/description',
  },
  {
    title: 'with NUL in its description',
    route: ORG,
    body: json(`{"name":"x","description":"${NUL}"}`),
    status: 400,
    at: '/description',
  },
  {
    title: 'with half a pair in its description',
    route: ORG,
    body: json(`{"name":"x","description":"${HIGH}"}`),
    status: 400,
  },
  {
    title: 'with a misspelt member',
    route: ORG,
    body: { name: 'x', descripton: 'y' },
    status: 400,
    at: '/descripton',
    kind: 'unknown-field',
  },
  {
    title: 'with an id of its own',
    route: ORG,
    body: { name: 'x', id: '{org}' },
    status: 400,
    at: '/id',
    kind: 'unknown-field',
  },
  {
    title: 'with a parent',
    route: PUT_ORG,
    body: { parent_org_id: '{foreign}' },
    status: 400,
    at: '/parent_org_id',
    kind: 'unknown-field',
  },
  {
    title: 'with a stale if-match',
    route: PUT_ORG,
    body: { name: 'x' },
    headers: { 'if-match': '"7"' },
    status: 409,
    kind: 'stale',
  },
  {
    title: 'with an invalid if-match',
    route: PUT_ORG,
    body: { name: 'x' },
    headers: { 'if-match': 'rev 1' },
    status: 409,
    kind: 'stale',
  },
  {
    title: 'deleted with a stale if-match',
    route: 'DELETE /api/v1/orgs/{org}',
    headers: { 'if-match': '"2"' },
    status: 409,
    kind: 'stale',
  },
  { title: 'that holds another one, deleted', route: 'DELETE /api/v1/orgs/{org}', status: 409, kind: 'in_use' },
  { title: 'below another, with its name', route: SUB, body: { name: '{sub}' }, status: 409, kind: 'duplicate' },
  {
    title: 'on a third level',
    route: 'POST /api/v1/orgs/{sub}/sub-orgs',
    body: { name: 'x' },
    status: 400,
    kind: 'depth',
    says: 'there is no third level',
  },
  { title: 'with an invalid id', route: 'GET /api/v1/orgs/1', status: 404 },
  { title: 'with an id of another kind', route: 'GET /api/v1/orgs/{role}', status: 404 },
  { title: 'with NUL in its id', route: 'GET /api/v1/orgs/%00', status: 404 },
  { title: 'with bytes for an id', route: 'GET /api/v1/orgs/%ff%fe', status: 400 },
  { title: 'with half an escape for an id', route: 'GET /api/v1/orgs/%e', status: 400 },
  { title: 'with a path for an id', route: 'GET /api/v1/orgs/..%2f{org}', status: 404 },
]

const lists: readonly BadRequest[] = [
  ['limit=0', '`limit`'],
  ['limit=201', '`limit`'],
  ['limit=-1', '`limit`'],
  ['limit=1e1', '`limit`'],
  ['limit=', '`limit`'],
  ['limit=%D9%A1', '`limit`'],
  ['limit=1&limit=2', 'once'],
  ['cursor=', '`cursor`'],
  ['cursor=null', '`cursor`'],
  ['cursor=%00', 'NUL'],
  [`cursor=${'x'.repeat(5000)}`, '`cursor`'],
  [`cursor=${Buffer.from('["name","a","b"]').toString('base64url')}`, '`cursor`'],
  [`cursor=${Buffer.from('["-name","a","00000000-0000-7000-8000-000000000000"]').toString('base64url')}`, '`cursor`'],
  [
    `cursor=${Buffer.from('["name",{"a":1},"00000000-0000-7000-8000-000000000000"]').toString('base64url')}`,
    '`cursor`',
  ],
  [
    `cursor=${Buffer.from(`["name","a${HIGH}","00000000-0000-7000-8000-000000000000"]`).toString('base64url')}`,
    '`cursor`',
  ],
  [`cursor=${Buffer.from('['.repeat(3000)).toString('base64url')}`, '`cursor`'],
  ['sort=color', '`sort`'],
  ['sort=--name', '`sort`'],
  ['sort=name;drop', '`sort`'],
  ['sort=', '`sort`'],
  ['q=a%00b', 'NUL'],
  ['offset=1', 'unknown'],
  ['toString=1', 'unknown'],
].map(([query = '', says = '']) => ({
  title: query.slice(0, 60),
  route: `GET /api/v1/orgs/{org}/roles?${query}`,
  status: 400,
  says,
}))

const audit: readonly BadRequest[] = [
  { title: 'with an invalid project', route: `${AUDIT}?project_id=1`, status: 400, says: '`project_id`' },
  { title: 'from an invalid time', route: `${AUDIT}?from=yesterday`, status: 400, says: '`from`' },
  { title: 'from an invalid day', route: `${AUDIT}?from=2026-02-31T00:00:00Z`, status: 400, says: '`from`' },
  { title: 'to an invalid hour', route: `${AUDIT}?to=2026-01-01T25:00:00Z`, status: 400, says: '`to`' },
  {
    title: 'with a cursor of an invalid time',
    route: `${AUDIT}?cursor=${Buffer.from('["-created_at","2026-13-01T00:00:00.000Z","00000000-0000-7000-8000-000000000000"]').toString('base64url')}`,
    status: 400,
    says: '`cursor`',
  },
  { title: 'sorted by name', route: `${AUDIT}?sort=name`, status: 400, says: '`sort`' },
]

const roles: readonly BadRequest[] = [
  { title: 'without actions', route: ROLE, body: { name: 'x' }, status: 400, at: '/permissions' },
  {
    title: 'with an unknown action',
    route: ROLE,
    body: { name: 'x', permissions: ['org.destroy'] },
    status: 400,
    at: '/permissions/0',
  },
  {
    title: 'with a name of Object.prototype for an action',
    route: ROLE,
    body: { name: 'x', permissions: ['toString'] },
    status: 400,
    at: '/permissions/0',
  },
  {
    title: 'with actions that are a text',
    route: ROLE,
    body: { name: 'x', permissions: 'test.run' },
    status: 400,
    at: '/permissions',
  },
  {
    title: 'with an action that is null',
    route: ROLE,
    body: { name: 'x', permissions: [null] },
    status: 400,
    at: '/permissions/0',
  },
  {
    title: 'with too many actions',
    route: ROLE,
    body: { name: 'x', permissions: many(101) },
    status: 400,
    at: '/permissions',
  },
  {
    title: 'with the name of a built-in one',
    route: ROLE,
    body: { name: 'owner', permissions: [] },
    status: 400,
    at: '/name',
    kind: 'reserved-name',
  },
  {
    title: 'with the name of a built-in one and a blank',
    route: ROLE,
    body: { name: ' owner ', permissions: [] },
    status: 400,
    at: '/name',
    kind: 'reserved-name',
  },
  { title: 'renamed to one that exists', route: PUT_ROLE, body: { name: 'guest' }, status: 409, kind: 'duplicate' },
  {
    title: 'made a built-in one',
    route: PUT_ROLE,
    body: { is_system: true },
    status: 400,
    at: '/is_system',
    kind: 'unknown-field',
  },
  {
    title: 'changed with a stale if-match',
    route: PUT_ROLE,
    body: { name: 'x' },
    headers: { 'if-match': '"9"' },
    status: 409,
    kind: 'stale',
  },
  {
    title: 'that is built in, changed',
    route: 'PUT /api/v1/orgs/{org}/roles/{viewer}',
    body: { permissions: ['org.manage'] },
    status: 403,
    kind: 'system-role',
  },
  {
    title: 'that is built in, deleted',
    route: 'DELETE /api/v1/orgs/{org}/roles/{viewer}',
    status: 403,
    kind: 'system-role',
  },
  { title: 'that is held, deleted', route: 'DELETE /api/v1/orgs/{org}/roles/{guestRole}', status: 409, kind: 'in_use' },
  { title: 'with the id of a key', route: 'GET /api/v1/orgs/{org}/roles/{key}', status: 404 },
  { title: 'with the id of a member', route: 'DELETE /api/v1/orgs/{org}/roles/{guest}', status: 404 },
]

const members: readonly BadRequest[] = [
  { title: 'without an address', route: MEMBER, body: { roles: ['viewer'] }, status: 400, at: '/email' },
  {
    title: 'with an invalid address',
    route: MEMBER,
    body: { email: 'at home', roles: ['viewer'] },
    status: 400,
    at: '/email',
  },
  {
    title: 'with two addresses',
    route: MEMBER,
    body: { email: 'a@b.example,c@d.example', roles: ['viewer'] },
    status: 400,
    at: '/email',
  },
  {
    title: 'with a header in the address',
    route: MEMBER,
    body: { email: 'a@b.example\r\nbcc: c@d.example', roles: ['viewer'] },
    status: 400,
    at: '/email',
  },
  {
    title: 'with half a pair in the address',
    route: MEMBER,
    body: json(`{"email":"a${HIGH}@b.example","roles":["viewer"]}`),
    status: 400,
  },
  {
    title: 'with a long address',
    route: MEMBER,
    body: { email: `${'a'.repeat(250)}@b.example`, roles: ['viewer'] },
    status: 400,
    at: '/email',
  },
  { title: 'without roles', route: MEMBER, body: { email: 'a@b.example' }, status: 400, at: '/roles' },
  { title: 'with no role', route: MEMBER, body: { email: 'a@b.example', roles: [] }, status: 400, at: '/roles' },
  {
    title: 'with both forms of roles',
    route: MEMBER,
    body: { email: 'a@b.example', roles: ['viewer'], role: 'viewer' },
    status: 400,
    at: '/roles',
  },
  {
    title: 'with an unknown role',
    route: MEMBER,
    body: { email: 'a@b.example', roles: ['viewer', 'king'] },
    status: 400,
    at: '/roles/1',
    kind: 'unknown-role',
  },
  {
    title: 'with a role of another organization',
    route: MEMBER,
    body: { email: 'a@b.example', roles: ['{foreignRole}'] },
    status: 400,
    at: '/roles/0',
    kind: 'unknown-role',
  },
  {
    title: 'with 51 roles',
    route: MEMBER,
    body: { email: 'a@b.example', roles: Array.from({ length: 51 }, () => 'viewer') },
    status: 400,
    at: '/roles',
  },
  {
    title: 'who is already one',
    route: MEMBER,
    body: { email: '{viewerEmail}', roles: ['viewer'] },
    status: 409,
    kind: 'duplicate',
  },
  {
    title: 'who is already one, in capitals',
    route: MEMBER,
    body: { email: '{VIEWEREMAIL}', roles: ['viewer'] },
    status: 409,
    kind: 'duplicate',
  },
  {
    title: 'who is already invited',
    route: MEMBER,
    body: { email: '{invitedEmail}', roles: ['viewer'] },
    status: 409,
    kind: 'duplicate',
  },
  {
    title: 'with roles that are not a list',
    route: MEMBER_ROLES,
    body: { roles: 'viewer' },
    status: 400,
    at: '/roles',
  },
  { title: 'with the role of a number', route: MEMBER_ROLES, body: { roles: [1] }, status: 400, at: '/roles/0' },
  {
    title: 'oneself, with other roles',
    route: 'PUT /api/v1/orgs/{org}/members/{self}/roles',
    body: { roles: ['viewer'] },
    status: 403,
    kind: 'own-roles',
  },
  {
    title: 'the last owner, who leaves',
    route: 'DELETE /api/v1/orgs/{org}/members/{self}',
    status: 409,
    kind: 'last_owner',
  },
  { title: 'with the id of a role', route: 'DELETE /api/v1/orgs/{org}/members/{role}', status: 404 },
  { title: 'of an invalid account', route: 'DELETE /api/v1/orgs/{org}/members/{foreign}', status: 404 },
  {
    title: 'an invitation with the id of its member',
    route: 'DELETE /api/v1/orgs/{org}/invitations/{guest}',
    status: 404,
  },
]

const keys: readonly BadRequest[] = [
  { title: 'without scopes', route: KEY, body: { name: 'x' }, status: 400, at: '/scopes' },
  { title: 'with no scope', route: KEY, body: { name: 'x', scopes: [] }, status: 400, at: '/scopes' },
  { title: 'with an unknown scope', route: KEY, body: { name: 'x', scopes: ['*'] }, status: 400, at: '/scopes/0' },
  {
    title: 'with an invalid project',
    route: KEY,
    body: { name: 'x', scopes: ['test.run'], project_ids: ['1'] },
    status: 400,
    at: '/project_ids/0',
  },
  {
    title: 'with a project of nowhere',
    route: KEY,
    body: { name: 'x', scopes: ['test.run'], project_ids: ['{foreign}'] },
    status: 400,
    at: '/project_ids/0',
  },
  {
    title: 'with no project',
    route: KEY,
    body: { name: 'x', scopes: ['test.run'], project_ids: [] },
    status: 400,
    at: '/project_ids',
  },
  {
    title: 'with an environment without a name',
    route: KEY,
    body: { name: 'x', scopes: ['test.run'], environments: [''] },
    status: 400,
    at: '/environments/0',
  },
  {
    title: 'with NUL in an environment',
    route: KEY,
    body: json(`{"name":"x","scopes":["test.run"],"environments":["${NUL}"]}`),
    status: 400,
    at: '/environments/0',
  },
  {
    title: 'with an end that is not a time',
    route: KEY,
    body: { name: 'x', scopes: ['test.run'], expires_at: 'soon' },
    status: 400,
    at: '/expires_at',
  },
  {
    title: 'with an end on an invalid day',
    route: KEY,
    body: { name: 'x', scopes: ['test.run'], expires_at: '2999-02-30T00:00:00Z' },
    status: 400,
    at: '/expires_at',
  },
  {
    title: 'with an end that is over',
    route: KEY,
    body: { name: 'x', scopes: ['test.run'], expires_at: '2001-01-01T00:00:00Z' },
    status: 400,
    at: '/expires_at',
  },
  {
    title: 'with an end that is a number',
    route: KEY,
    body: { name: 'x', scopes: ['test.run'], expires_at: 4e12 },
    status: 400,
    at: '/expires_at',
  },
  {
    title: 'with a token of its own',
    route: KEY,
    body: { name: 'x', scopes: ['test.run'], token: 'eng_key_x' },
    status: 400,
    at: '/token',
    kind: 'unknown-field',
  },
  {
    title: 'with a name that is taken',
    route: KEY,
    body: { name: 'target', scopes: ['test.run'] },
    status: 409,
    kind: 'duplicate',
  },
  { title: 'with the id of a role', route: 'DELETE /api/v1/orgs/{org}/api-keys/{role}', status: 404 },
]

const identity: readonly BadRequest[] = [
  { title: 'a display name with half a pair', route: ME, body: json(`{"display_name":"${HIGH}"}`), status: 400 },
  {
    title: 'another address',
    route: ME,
    body: { email: 'a@b.example' },
    status: 400,
    at: '/email',
    kind: 'unknown-field',
  },
  {
    title: 'a password that is too short',
    route: 'POST /api/v1/auth/change-password',
    body: { current: 'x', next: 'short' },
    status: 400,
    at: '/next',
  },
  {
    title: 'a password that is too long',
    route: 'POST /api/v1/auth/change-password',
    body: { current: 'x', next: 'x'.repeat(257) },
    status: 400,
    at: '/next',
  },
  {
    title: 'a current password that is a list',
    route: 'POST /api/v1/auth/change-password',
    body: { current: ['x'], next: 'x'.repeat(9) },
    status: 400,
    at: '/current',
  },
  {
    title: 'a password that is a number',
    route: 'POST /api/v1/auth/login',
    body: { email: 'a@b.example', password: 7 },
    status: 400,
    at: '/password',
  },
  {
    title: 'an address that is an object',
    route: 'POST /api/v1/auth/login',
    body: { email: { $ne: '' }, password: 'x' },
    status: 400,
    at: '/email',
  },
  {
    title: 'a reset of no address',
    route: 'POST /api/v1/auth/reset',
    body: { email: 'nowhere' },
    status: 400,
    at: '/email',
  },
  { title: 'an invalid link', route: 'POST /api/v1/auth/token', body: { token: 'eng_otl_' }, status: 401 },
  { title: 'a link that is a session', route: 'POST /api/v1/auth/token', body: { token: '{session}' }, status: 401 },
  {
    title: 'an invalid link to look at',
    route: 'POST /api/v1/auth/token/preview',
    body: { token: 'eng_otl_' },
    status: 401,
  },
  {
    title: 'a link to look at that is an invitation',
    route: 'POST /api/v1/auth/token/preview',
    body: { token: '{invitation}' },
    status: 401,
  },
  {
    title: 'an invitation to look at that is a key',
    route: 'POST /api/v1/invitations/preview',
    body: { token: '{keyToken}' },
    status: 401,
  },
  {
    title: 'an invitation to look at without a token',
    route: 'POST /api/v1/invitations/preview',
    body: {},
    status: 400,
    at: '/token',
  },
  {
    title: 'an invitation that is a key',
    route: ACCEPT,
    body: { token: '{keyToken}', password: 'a long phrase' },
    status: 401,
  },
  { title: 'an invitation that is a number', route: ACCEPT, body: { token: 1 }, status: 400, at: '/token' },
  {
    title: 'an invitation with a short password',
    route: ACCEPT,
    body: { token: '{invitation}', password: 'short' },
    status: 400,
    at: '/password',
  },
  {
    title: 'an invitation without a password',
    route: ACCEPT,
    body: { token: '{invitation}' },
    status: 400,
    at: '/password',
  },
  {
    title: 'an invitation with a line break in the name',
    route: ACCEPT,
    body: { token: '{invitation}', password: 'a long phrase', display_name: 'a\rb' },
    status: 400,
    at: '/display_name',
  },
  { title: 'an invalid session', route: 'DELETE /api/v1/me/sessions/1', status: 404 },
  { title: 'an invalid notification', route: 'POST /api/v1/orgs/{org}/notifications/1/read', status: 404 },
  {
    title: 'a flag that is neither true nor false',
    route: 'GET /api/v1/orgs/{org}/notifications?unread_only=yes',
    status: 400,
    says: '`unread_only`',
  },
]

const http: readonly BadRequest[] = [
  { title: 'a method that a path has not', route: 'DELETE /api/v1/orgs', status: 405 },
  { title: 'a path that ends in a slash', route: 'GET /api/v1/orgs/', status: 404 },
  { title: 'a path in capitals', route: 'GET /API/V1/ORGS', status: 404 },
  { title: 'a path with two slashes', route: 'GET /api/v1//orgs', status: 404 },
  {
    title: 'an idempotency key of 256 characters',
    route: ORG,
    body: { name: 'x' },
    headers: { 'idempotency-key': 'x'.repeat(256) },
    status: 400,
    says: 'idempotency-key',
  },
  {
    title: 'an idempotency key with a blank',
    route: ORG,
    body: { name: 'x' },
    headers: { 'idempotency-key': 'a b' },
    status: 400,
    says: 'idempotency-key',
  },
]

/** All of them, by subject. */
export const BAD_REQUESTS: readonly (readonly [string, readonly BadRequest[]])[] = [
  ['a body', bodies],
  ['an organization', organizations],
  ['a list', lists],
  ['the audit', audit],
  ['a role', roles],
  ['a member', members],
  ['a key', keys],
  ['an account', identity],
  ['a request', http],
  ...INTEGRATIONS,
  ...CATALOG_REQUESTS,
  ['events', EVENT_REQUESTS],
  ['archives', BAD_ARCHIVES],
  ...BAD_IMPORTS,
  ...BAD_RELEASES,
  ...BAD_RECORDINGS,
  ['an execution', BAD_ROLLOUTS],
]
