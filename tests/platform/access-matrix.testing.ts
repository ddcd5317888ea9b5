import type { Right } from '../../apps/platform-server/src/http/route.ts'

/** What a caller needs for a route; `right` of its description where that is another word. */
interface Need {
  readonly right: Right
  /** What the description says, where the handler asks for more. */
  readonly described?: Right
  /** The code of the refusal of those who hold the right as well. */
  readonly refusedAs?: string
  /** Keys are refused: there is a person behind it. */
  readonly personal?: true
}

const anyone: Need = { right: 'none' }
const caller: Need = { right: 'any' }
const person: Need = { right: 'person' }
const member: Need = { right: 'member' }
const action = (right: Right): Need => ({ right })
/** Members may do it to themselves; to others it needs the action. */
const unlessOneself = (right: Right): Need => ({ right, described: 'member' })

/** Refused to all: the proxy changes no engine. */
const never: Need = { right: 'decision.execute', refusedAs: 'read-only' }
/** Routes below a project, which is found with its organization in the path or without. */
const atBothPaths = (routes: Readonly<Record<string, Need>>): Readonly<Record<string, Need>> =>
  Object.fromEntries(
    Object.entries(routes).flatMap(([route, need]) =>
      ['/api/v1/orgs/{oid}/projects/{pid}', '/api/v1/projects/{pid}'].map((path) => [
        route.replace(' ', ` ${path}`),
        need,
      ]),
    ),
  )

/** Every route of the platform, and who may call it. tests/platform/access.test.ts holds the program to it. */
export const ACCESS: Readonly<Record<string, Need>> = {
  'GET /health': anyone,
  'GET /healthz/ready': anyone,
  'GET /healthz/live': anyone,
  'GET /metrics': anyone,
  'POST /api/v1/auth/login': anyone,
  'POST /api/v1/auth/token': anyone,
  'POST /api/v1/auth/register': anyone,
  'POST /api/v1/auth/logout': person,
  'POST /api/v1/auth/change-password': person,
  'POST /api/v1/auth/reset': anyone,
  'GET /api/v1/auth/options': anyone,
  'GET /api/v1/me': caller,
  'PUT /api/v1/me': person,
  'GET /api/v1/auth/me': caller,
  'PUT /api/v1/auth/me': person,
  'GET /api/v1/me/sessions': person,
  'DELETE /api/v1/me/sessions': person,
  'GET /api/v1/me/sessions/{id}': person,
  'DELETE /api/v1/me/sessions/{id}': person,
  'GET /api/v1/orgs': caller,
  'POST /api/v1/orgs': person,
  'GET /api/v1/orgs/{id}': member,
  'PUT /api/v1/orgs/{id}': action('org.manage'),
  'DELETE /api/v1/orgs/{id}': action('org.manage'),
  'GET /api/v1/orgs/{id}/sub-orgs': member,
  'POST /api/v1/orgs/{id}/sub-orgs': action('org.manage'),
  'GET /api/v1/orgs/{oid}/members': member,
  'POST /api/v1/orgs/{oid}/members': action('member.manage'),
  'PUT /api/v1/orgs/{oid}/members/{uid}/roles': action('member.manage'),
  'DELETE /api/v1/orgs/{oid}/members/{uid}': unlessOneself('member.manage'),
  'GET /api/v1/orgs/{oid}/invitations': action('member.manage'),
  'DELETE /api/v1/orgs/{oid}/invitations/{id}': action('member.manage'),
  'POST /api/v1/invitations/accept': anyone,
  'GET /api/v1/orgs/{oid}/roles': member,
  'POST /api/v1/orgs/{oid}/roles': action('role.manage'),
  'GET /api/v1/orgs/{oid}/roles/{id}': member,
  'PUT /api/v1/orgs/{oid}/roles/{id}': action('role.manage'),
  'DELETE /api/v1/orgs/{oid}/roles/{id}': action('role.manage'),
  'GET /api/v1/orgs/{oid}/notifications': { ...member, personal: true },
  'GET /api/v1/orgs/{oid}/notifications/count': { ...member, personal: true },
  'POST /api/v1/orgs/{oid}/notifications/{nid}/read': { ...member, personal: true },
  'POST /api/v1/orgs/{oid}/notifications/read-all': { ...member, personal: true },
  'GET /api/v1/orgs/{oid}/audit': action('audit.read'),
  'GET /api/v1/orgs/{oid}/api-keys': action('token.manage'),
  'POST /api/v1/orgs/{oid}/api-keys': action('token.manage'),
  'GET /api/v1/orgs/{oid}/api-keys/{id}': action('token.manage'),
  'DELETE /api/v1/orgs/{oid}/api-keys/{id}': action('token.manage'),
  // A member of the parent alone, whose role does not flow down, is none of the sub-organization: it has its own tests.
  'GET /api/v1/orgs/{parent_id}/sub-orgs/{sub_id}/members': member,
  'POST /api/v1/orgs/{parent_id}/sub-orgs/{sub_id}/members': action('member.manage'),
  'GET /api/v1/orgs/{oid}/projects': member,
  'POST /api/v1/orgs/{oid}/projects': action('project.manage'),
  ...atBothPaths({
    'GET ': member,
    'PUT ': action('project.manage'),
    'DELETE ': action('project.manage'),
    'GET /environments': member,
    'POST /environments': action('environment.manage'),
    'GET /environments/{eid}': member,
    'PUT /environments/{eid}': action('environment.manage'),
    'PUT /environments/{eid}/canary': action('environment.manage'),
    'PUT /environments/{eid}/recording': action('environment.manage'),
    'DELETE /environments/{eid}': action('environment.manage'),
    'GET /server': member,
    'PUT /server': action('server.manage'),
  }),
  'GET /api/v1/orgs/{oid}/connect-tokens': action('token.manage'),
  'POST /api/v1/orgs/{oid}/connect-tokens': action('token.manage'),
  'DELETE /api/v1/orgs/{oid}/connect-tokens/{id}': action('token.manage'),
  'POST /api/v1/internal/register': { right: 'server' },
  'POST /api/v1/internal/heartbeat': { right: 'server' },
  'GET /api/v1/internal/rulesets/{digest}': { right: 'server' },
  'GET /api/v1/servers': caller,
  'GET /api/v1/servers/{id}': member,
  'GET /api/v1/servers/{id}/health': member,
  'GET /api/v1/servers/{id}/metrics': member,
  'DELETE /api/v1/servers/{id}': action('server.manage'),
  'POST /api/v1/engine/{pid}/execute': action('decision.execute'),
  'POST /api/v1/engine/{pid}/execute/{name}': action('decision.execute'),
  'POST /api/v1/engine/{pid}/execute/{name}/batch': action('decision.execute'),
  'POST /api/v1/engine/{pid}/eval': action('decision.execute'),
  'GET /api/v1/engine/{pid}/rulesets': action('server.manage'),
  'GET /api/v1/engine/{pid}/rulesets/{name}': action('server.manage'),
  'GET /api/v1/engine/{pid}/rulesets/{name}/versions': action('server.manage'),
  'GET /api/v1/engine/{pid}/rulesets/{name}/versions/{seq}': action('server.manage'),
  'POST /api/v1/engine/{pid}/rulesets/{name}/filter': action('server.manage'),
  'POST /api/v1/engine/{pid}/rulesets/{name}/sql': action('server.manage'),
  'POST /api/v1/engine/{pid}/rulesets': never,
  'DELETE /api/v1/engine/{pid}/rulesets/{name}': never,
  'POST /api/v1/engine/{pid}/rulesets/{name}/rollback': never,
  'PUT /api/v1/engine/{pid}/config/audit-sample-rate': never,
  'POST /api/v1/engine/{pid}/tenants': never,
  'PUT /api/v1/engine/{pid}/tenants/{id}': never,
  'DELETE /api/v1/engine/{pid}/tenants/{id}': never,
}
