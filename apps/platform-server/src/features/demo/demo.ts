import type { ProjectArchive } from '@engine/authoring'
import { ROLE_ACTIONS } from '../../access/actions.ts'
import type { Person } from '../../access/caller.ts'
import { type Member, memberOf } from '../../access/membership.ts'
import { type Author, SYSTEM } from '../../database/audit.ts'
import type { Compute } from '../../compute/compute.ts'
import type { Database } from '../../database/database.ts'
import { Acting } from '../../resources/acting.ts'
import { createKey, revokeKey } from '../api-keys/service.ts'
import { importNew } from '../archives/import.ts'
import { publish } from '../drafts/publication.ts'
import { draftNamed, liveOf } from '../drafts/repository.ts'
import { bind } from '../engines/bindings.ts'
import { createConnectToken } from '../engines/connect-tokens.ts'
import { accountByEmail } from '../identity/accounts.ts'
import { createOrganization } from '../organizations/service.ts'
import type { InProject } from '../projects/project-scope.ts'
import { environmentBy, type ProjectRow, servingAt } from '../projects/repository.ts'
import type { DemoTokens } from './demo-file.ts'

/** Dependencies of the demo. */
export interface DemoParts {
  readonly database: Database
  readonly compute: Compute
  readonly archive: ProjectArchive
  readonly adminEmail: string
}

/** The organization and project of the demo, whose rulesets are published. */
export interface Demo extends InProject {
  readonly caller: Person
  /** The ruleset of the printed request, with a sample input. */
  readonly ruleset: string
  readonly input: object
}

const ORGANIZATION = 'Demo'
const KEY = 'Caller of the demonstration'
const ADMIN_KEY = 'Set-up of the demonstration'
/** The other environments require a release. */
export const DEMO_ENVIRONMENT = 'dev'
const AUTHOR: Author = SYSTEM

/** Create the missing parts of the demo: organization, project, publication. */
export async function openDemo(parts: DemoParts): Promise<Demo> {
  const { database, archive, adminEmail } = parts
  const account = await accountByEmail(database.unscoped.tables, adminEmail)
  if (account === undefined) throw new Error(`there is no account ${adminEmail}`)
  const { id, email, display_name: displayName } = account
  const caller: Person = { kind: 'user', id, email, displayName, sessionId: '' }
  const member = await memberOfDemo(database, caller)
  const project = (await demoProject(member, archive)) ?? (await makeProject(parts, member, caller))
  const [draft] = archive.rulesets
  const ruleset = draft?.config.name ?? ''
  const [first] = archive.suites.find((suite) => suite.ruleset === ruleset)?.cases ?? []
  const demo = { member, project, caller, ruleset, input: first?.input ?? {} }
  await publishOnce(parts, demo)
  return demo
}

async function memberOfDemo(database: Database, caller: Person): Promise<Member> {
  const known = await database.unscoped.tables
    .selectFrom('organizations as o')
    .innerJoin('members as m', 'm.org_id', 'o.org_id')
    .select('o.org_id')
    .where('o.name', '=', ORGANIZATION)
    .where('o.parent_org_id', 'is', null)
    .where('m.user_id', '=', caller.id)
    .where('m.status', '=', 'active')
    .executeTakeFirst()
  const request = { name: ORGANIZATION, description: 'Made at the first start, to look around' }
  const id = known?.org_id ?? (await createOrganization(database, caller, AUTHOR, request)).id
  const member = await memberOf(database, caller, id)
  if (member === undefined) throw new Error('the administrator is no member of the organization of the demonstration')
  return member
}

function demoProject({ scope }: Member, archive: ProjectArchive): Promise<ProjectRow | undefined> {
  const { name } = archive.project
  return scope.read('projects').selectFrom('projects').selectAll().where('name', '=', name).executeTakeFirst()
}

async function makeProject(
  { database, compute, archive }: DemoParts,
  member: Member,
  caller: Person,
): Promise<ProjectRow> {
  const { name, description = '' } = archive.project
  const acting = new Acting({ database, place: { member }, caller, author: AUTHOR })
  await importNew({ acting, compute, isDry: false }, archive, { name, description })
  const project = await demoProject(member, archive)
  if (project === undefined) throw new Error('the project of the demonstration was not made')
  return project
}

async function publishOnce({ database, compute, archive }: DemoParts, demo: Demo): Promise<void> {
  const { member, project, caller } = demo
  const names = archive.rulesets.map(({ config }) => config.name)
  const live = await liveOf(member.scope, project.id, names)
  const acting = new Acting({ database, place: demo, caller, author: AUTHOR })
  for (const name of names) {
    if (live.some((one) => one.name === name && one.environment === DEMO_ENVIRONMENT)) continue
    const row = await draftNamed(member.scope, project.id, name)
    // Undefined: it was deleted or renamed.
    if (row !== undefined) await publish(acting, compute, row, { environment: DEMO_ENVIRONMENT })
  }
}

/** Create tokens for engines, for a caller of decisions and for the set-up. They are returned only here. */
export async function newDemoTokens(database: Database, { member, caller }: Demo): Promise<DemoTokens> {
  const known = await member.scope
    .read('api_keys')
    .selectFrom('api_keys')
    .selectAll()
    .where('name', 'in', [KEY, ADMIN_KEY])
    .execute()
  const acting = new Acting({ database, place: { member }, caller, author: AUTHOR })
  for (const key of known) await revokeKey(acting, key)
  const connect = await createConnectToken(acting, 'demonstration')
  const key = await createKey(acting, { name: KEY, scopes: ['decision.execute'] })
  const admin = await createKey(acting, { name: ADMIN_KEY, scopes: [...ROLE_ACTIONS.admin] })
  return { connect_token: connect.token, api_key: key.token, admin_key: admin.token }
}

/**
 * Bind the first engine of the organization to the demo environment, unless an engine serves it already. Returns the URL of
 * the engine that serves it if it was in contact since the given time.
 */
export async function bindDemo({ database }: DemoParts, demo: Demo, since: Date): Promise<string | undefined> {
  const { member, project, caller } = demo
  const environment = await environmentBy(member.scope, project.id, DEMO_ENVIRONMENT)
  const { bound } = await servingAt(member.scope, environment.id)
  const [server] = await member.scope
    .read('servers')
    .selectFrom('servers')
    .select(['id', 'url'])
    .where('last_heartbeat', '>=', since)
    .where('id', bound.length === 0 ? 'is not' : '=', bound[0] ?? null)
    .orderBy('created_at')
    .execute()
  if (server === undefined) return undefined
  const acting = new Acting({ database, place: demo, caller, author: AUTHOR })
  if (bound.length === 0) await bind(acting, environment.id, [server.id])
  return server.url ?? undefined
}
