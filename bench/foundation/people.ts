import type { ProbedPlace } from '../loop-delay/place.ts'
import type { Request } from '../loop-delay/requests.ts'

/** Rows of one page of a list. */
const PAGE = 200
/** Organizations of one person; roles of one member; projects of one key. */
const [ORGANIZATIONS, ROLES, PROJECTS] = [1000, 50, 1000] as const

const read = (title: string, send: ProbedPlace['send'], path: string): Request => ({
  title,
  status: 200,
  send: () => send('GET', path),
})

/** The id of a created resource. */
async function idOf(send: ProbedPlace['send'], path: string, body: object): Promise<string> {
  const { status, text } = await send('POST', path, JSON.stringify(body))
  if (status !== 201) throw new Error(`${path}: ${status} ${text.slice(0, 500)}`)
  return JSON.parse(text).id
}

/** Accounts, members, roles and keys, as many as a page has and as large as they may be. */
export async function ofPeople({ org, send }: ProbedPlace): Promise<readonly Request[]> {
  for (let index = 0; index < ORGANIZATIONS; index++)
    await idOf(send, '/api/v1/orgs', { name: `Other ${index}`.padEnd(200, 'x'), description: 'd'.repeat(2000) })
  const roles: string[] = []
  for (let index = 0; index < PAGE; index++)
    roles.push(
      await idOf(send, `${org}/roles`, {
        name: `Role ${index}`.padEnd(200, 'x'),
        description: 'd'.repeat(2000),
        permissions: ['project.read', 'ruleset.edit'],
      }),
    )
  const held = roles.slice(0, ROLES)
  const invite = (name: string) => idOf(send, `${org}/members`, { email: `${name}@example.org`, roles: held })
  let member = ''
  for (let index = 0; index < PAGE; index++) member = await invite(`member-${index}`)
  const projects: string[] = []
  for (let index = 0; index < PROJECTS; index++)
    projects.push(await idOf(send, `${org}/projects`, { name: `Project ${index}`, description: 'd'.repeat(2000) }))
  let keys = 0
  const environments = Array.from({ length: 100 }, (_, index) => `environment-${index}`.padEnd(100, 'x'))
  const key = () =>
    JSON.stringify({ name: `key ${++keys}`, scopes: ['decision.execute'], project_ids: projects, environments })
  for (let index = 0; index < PAGE; index++) await send('POST', `${org}/api-keys`, key())
  let more = 0
  const long = JSON.stringify({ email: `${'a'.repeat(240)}@example.org`, password: 'p'.repeat(256) })
  return [
    { title: 'sign in, wrong', status: 401, send: () => send('POST', '/api/v1/auth/login', long) },
    read('who am I, in 1,000 organizations', send, '/api/v1/me'),
    read('200 organizations', send, '/api/v1/orgs?limit=200'),
    read('200 roles', send, `${org}/roles?limit=200`),
    {
      title: 'invite a member with 50 roles',
      status: 201,
      send: () => send('POST', `${org}/members`, JSON.stringify({ email: `more-${++more}@example.org`, roles: held })),
    },
    {
      title: 'give a member 50 roles',
      status: 200,
      send: () => send('PUT', `${org}/members/${member}/roles`, JSON.stringify({ roles: held })),
    },
    read('200 members of 50 roles', send, `${org}/members?limit=200`),
    read('200 invitations of 50 roles', send, `${org}/invitations?limit=200`),
    read('200 projects', send, `${org}/projects?limit=200`),
    { title: 'make a key for 1,000 projects', status: 201, send: () => send('POST', `${org}/api-keys`, key()) },
    read('200 keys for 1,000 projects', send, `${org}/api-keys?limit=200`),
    read('200 notifications', send, `${org}/notifications?limit=200`),
    { title: 'read all of them', status: 204, send: () => send('POST', `${org}/notifications/read-all`) },
    read('the description of the interface', send, '/api/v1/openapi.json'),
    read('metrics', send, '/metrics'),
    read('templates', send, '/api/v1/templates'),
    read('one template', send, '/api/v1/templates/ecommerce-coupon'),
  ]
}
