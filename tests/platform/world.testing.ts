import { NOTHING_REPLAYED } from '../../packages/analysis/src/index.ts'
import { randomUUIDv7 } from 'node:crypto'
import {
  type Action,
  ACTIONS,
  BUILT_IN_ROLES,
  type BuiltInRole,
} from '../../apps/platform-server/src/access/actions.ts'
import { hashPassword } from '../../apps/platform-server/src/access/passwords.ts'
import { createSecretBox } from '../../apps/platform-server/src/access/secret-box.ts'
import { newToken } from '../../apps/platform-server/src/access/tokens.ts'
import type { Database, Transaction } from '../../apps/platform-server/src/database/database.ts'
import { newOrgId, type OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import type { Scope } from '../../apps/platform-server/src/database/scope.ts'
import { newOneTimeToken } from '../../apps/platform-server/src/features/identity/one-time-links.ts'
import { openSession } from '../../apps/platform-server/src/features/identity/sessions.ts'
import { newEnvironment } from '../../apps/platform-server/src/features/projects/service.ts'
import { newSecret } from '../../apps/platform-server/src/features/webhooks/message.ts'
import { secretPurpose } from '../../apps/platform-server/src/features/webhooks/secret-purpose.ts'
import { feeOf, grading } from './drafts.testing.ts'
import { PASSWORD, SECRET_KEY } from './platform.testing.ts'

/** The people of every world: strangers to it, its members, and one with an account and nothing else. */
export const PEOPLE = ['stranger', ...BUILT_IN_ROLES, 'custom', 'spare'] as const
export type PersonName = (typeof PEOPLE)[number]

/** An account. */
export interface Account {
  readonly id: string
  readonly email: string
}
export type Cast = Readonly<Record<PersonName, Account>>

/** The keys of a world; each has the scopes in its name. */
const KEYS = ['key', 'narrow', 'expired', 'foreign', 'target'] as const
export type KeyName = (typeof KEYS)[number]

/** An organization with one of each resource, and what reaches it. Written past the interface, which it is made to test. */
export interface World {
  readonly org: OrgId
  /** Where the stranger and the foreign key belong. */
  readonly foreignOrg: OrgId
  /** Below the organization. */
  readonly sub: OrgId | undefined
  readonly cast: Cast
  readonly keys: Readonly<Record<KeyName, { readonly id: string; readonly token: string }>>
  /** A role without actions, which a member and an invited one hold. */
  readonly guestRole: string
  /** A role that no member holds. */
  readonly spareRole: string
  /** Membership and account of the member without rights. */
  readonly guest: { readonly id: string; readonly userId: string }
  /** The environment `dev` of a project, not the current one. Empty: the world has none. */
  readonly project: string
  readonly environment: string
  /** The webhook of the project, at an address that is never called. Empty: the world has no project. */
  readonly webhook: string
  /** A delivery to it that has failed for good. */
  readonly delivery: string
  /** The test suite of the ruleset `rule`, with one case; both empty: the world has none. */
  readonly suite: string
  readonly testCase: string
  /** On the ruleset `rule`. */
  readonly draftComment: string
  /** The recorded decision of the ruleset `kept` in `dev`; empty: the world has none. */
  readonly shadow: string
  readonly replay: string
  readonly decision: string
  /** A policy that counts nowhere, and a release into `prod` that waits for one approval; both empty: the world has none. */
  readonly policy: string
  readonly release: string
  /** On the release. */
  readonly comment: string
  /** An execution of it that has ended, and an entry of the history of `rule`, which was taken out. */
  readonly execution: string
  readonly entry: string
  /** An engine that serves nothing. Empty: the world has none. */
  readonly server: string
  readonly connectToken: string
  readonly invitation: { readonly id: string; readonly token: string; readonly email: string }
}

/** Accounts, all with the same password. */
export async function addCast(database: Database): Promise<Cast> {
  const password_hash = await hashPassword(PASSWORD)
  const rows = PEOPLE.map((name) => {
    const id = randomUUIDv7()
    return { id, email: `${name}-${id}@example.com`, display_name: name, password_hash }
  })
  await database.unscoped.tables.insertInto('users').values(rows).execute()
  return Object.fromEntries(rows.map(({ id, email, display_name: name }) => [name, { id, email }])) as unknown as Cast
}

/** Resources that a world has only on request: an organization with them cannot be deleted. */
export interface WorldParts {
  readonly hasSub?: boolean
  readonly hasProject?: boolean
  /** A fact, a concept and a contract of the project, all named `rule`, and a test suite of the ruleset. */
  readonly hasCatalog?: boolean
  readonly hasServer?: boolean
  /** Rulesets `rule`, `kept` and the deleted `gone`; sub-rules `rule` of project and organization. */
  readonly hasDrafts?: boolean
  /** A release policy and a release of the project. */
  readonly hasRelease?: boolean
}

/**
 * Add a separate organization for some tests.
 *
 * @param action the right in question: one role and one key have it alone, another key all others
 */
export function addWorld(
  database: Database,
  cast: Cast,
  action: Action,
  { hasSub = false, hasProject = false, hasServer = false, ...ofProject }: WorldParts = {},
): Promise<World> {
  return database.unscoped.transaction(async (transaction) => {
    const [org, foreignOrg, sub] = [newOrgId(), newOrgId(), newOrgId()]
    const foreignRoles = await addRoles(transaction, foreignOrg, null, action)
    const roles = await addRoles(transaction, org, null, action)
    if (hasSub) await addRoles(transaction, sub, org, action)
    if (ofProject.hasDrafts === true) await addSubRule(transaction.scope(org), null)
    const id = (of: Readonly<Record<string, string>>, name: string) => of[name] ?? ''
    await addMembers(transaction, foreignOrg, [[cast.stranger, id(foreignRoles, 'owner')]])
    const userId = randomUUIDv7()
    const guest = { id: userId, email: `guest-${userId}@example.com` }
    await transaction.tables
      .insertInto('users')
      .values({ ...guest, display_name: 'guest' })
      .execute()
    const [guestId = ''] = await addMembers(transaction, org, [
      [guest, id(roles, 'guest')],
      ...([...BUILT_IN_ROLES, 'custom'] as const).map((name) => [cast[name], id(roles, name)] as const),
    ])
    return {
      org,
      foreignOrg,
      sub: hasSub ? sub : undefined,
      cast,
      keys: await addKeys(transaction, org, foreignOrg, action),
      guestRole: id(roles, 'guest'),
      spareRole: id(roles, 'spare'),
      guest: { id: guestId, userId },
      ...(hasProject
        ? await addProject(transaction, org, ofProject)
        : {
            project: '',
            environment: '',
            webhook: '',
            delivery: '',
            suite: '',
            testCase: '',
            draftComment: '',
            shadow: '',
            replay: '',
            decision: '',
            ...NO_RELEASE,
          }),
      server: hasServer ? await addServer(transaction, org) : '',
      connectToken: await addConnectToken(transaction, org),
      invitation: await addInvitation(transaction, org, id(roles, 'guest')),
    }
  })
}

/** Worlds for requests that change nothing: one serves all that need the same right and the same parts. */
export function sharedWorlds(
  database: () => Database,
): (cast: Cast, action: Action, parts: WorldParts) => Promise<World> {
  const known = new Map<string, Promise<World>>()
  return (cast, action, parts) => {
    const key = JSON.stringify([cast.owner.id, action, parts])
    const found = known.get(key) ?? addWorld(database(), cast, action, parts)
    known.set(key, found)
    return found
  }
}

/** An organization with its roles, by their names. */
async function addRoles(
  { scope: within }: Transaction,
  org: OrgId,
  parent: OrgId | null,
  action: Action,
): Promise<Readonly<Record<string, string>>> {
  const scope = within(org)
  const created_by = 'system'
  await scope.insert('organizations', { name: org, parent_org_id: parent, created_by }).execute()
  const own = [
    { name: 'custom', permissions: [action] },
    { name: 'guest', permissions: [] },
    { name: 'spare', permissions: [] },
  ]
  const rows = [
    ...BUILT_IN_ROLES.map((name: BuiltInRole) => ({ name, permissions: [], is_system: true })),
    ...own.map((role) => ({ ...role, is_system: false })),
  ].map((role) => ({ ...role, id: randomUUIDv7(), created_by }))
  await scope.insert('roles', rows).execute()
  return Object.fromEntries(rows.map(({ name, id }) => [name, id]))
}

/** People with one role each. Returns the ids of their memberships. */
async function addMembers(
  { scope: within }: Transaction,
  org: OrgId,
  people: readonly (readonly [Account, roleId: string])[],
): Promise<readonly string[]> {
  const made = people.map(([{ id: user_id, email }, role_id]) => ({ id: randomUUIDv7(), user_id, email, role_id }))
  const scope = within(org)
  const members = made.map(({ role_id: _role, ...rest }) => ({
    ...rest,
    status: 'active' as const,
    created_by: 'system',
  }))
  await scope.insert('members', members).execute()
  await scope
    .insert(
      'member_roles',
      made.map(({ id: member_id, role_id }) => ({ member_id, role_id })),
    )
    .execute()
  return made.map(({ id }) => id)
}

async function addKeys({ scope }: Transaction, org: OrgId, foreignOrg: OrgId, action: Action): Promise<World['keys']> {
  const scopes: Readonly<Record<KeyName, readonly Action[]>> = {
    key: [action],
    narrow: ACTIONS.filter((one) => one !== action),
    expired: ACTIONS,
    foreign: ACTIONS,
    target: ['decision.execute'],
  }
  const made = KEYS.map((name) => ({ name, id: randomUUIDv7(), token: newToken('key') }))
  const rows = made.map(({ name, id, token }) => ({
    id,
    name,
    token_hash: token.hash,
    prefix: token.prefix,
    scopes: [...scopes[name]],
    created_by: 'system',
    expires_at: name === 'expired' ? new Date(Date.now() - 1000) : null,
  }))
  const own = rows.filter(({ name }) => name !== 'foreign')
  await scope(org).insert('api_keys', own).execute()
  await scope(foreignOrg)
    .insert(
      'api_keys',
      rows.filter((row) => !own.includes(row)),
    )
    .execute()
  return Object.fromEntries(made.map(({ name, id, token }) => [name, { id, token: token.text }])) as World['keys']
}

async function addProject(
  transaction: Transaction,
  org: OrgId,
  { hasCatalog = false, hasDrafts = false, hasRelease = false }: WorldParts,
) {
  const scope = transaction.scope(org)
  const project = randomUUIDv7()
  await scope
    .insert('projects', { id: project, name: project, current_environment: 'prod', created_by: 'system' })
    .execute()
  const environments = ['dev', 'prod'].map((name, position) => ({
    ...newEnvironment(project, name, position, 'system'),
    // The proxy looks for an engine for any ruleset.
    allow_local_rulesets: true,
  }))
  await scope.insert('environments', environments).execute()
  if (hasCatalog) await addCatalog(scope, project)
  let tests = { suite: '', testCase: '', draftComment: '', shadow: '', replay: '', decision: '' }
  if (hasDrafts) {
    await addSubRule(scope, project)
    const [draft = ''] = await addDrafts(scope, project, [
      ['rule', null],
      ['kept', null],
      ['gone', new Date()],
    ])
    const shadow = await addShadow(transaction, scope, project, environments[0]?.id ?? '')
    const replay = await addReplay(transaction, scope, project, environments[0]?.id ?? '')
    const comment = { id: randomUUIDv7(), draft_id: draft, place: '', text: 'a question' }
    await scope.insert('draft_comments', { ...comment, created_by: 'system', updated_by: 'system' }).execute()
    const decision = await addDecision(scope, project, environments[0]?.id ?? '')
    tests = { ...(await addSuite(scope, draft)), draftComment: comment.id, shadow, replay, decision }
  }
  const webhook = randomUUIDv7()
  const receiver = { url: 'http://127.0.0.1:1/hook', events: ['*'], format: 'json' as const, enabled: true }
  const secret_encrypted = createSecretBox(SECRET_KEY).encrypt(newSecret(), secretPurpose(webhook))
  const row = { id: webhook, project_id: project, ...receiver, secret_encrypted, created_by: 'system' }
  await scope.insert('webhooks', row).execute()
  const delivery = randomUUIDv7()
  const given = { status: 'failed' as const, response_status: null, next_at: null, attempt: 6 }
  await scope
    .insert('webhook_deliveries', { id: delivery, webhook_id: webhook, event: 'webhook_test', body: '{}', ...given })
    .execute()
  const released = hasRelease ? await addRelease(scope, project, environments[1]?.id ?? '') : NO_RELEASE
  return { project, environment: environments[0]?.id ?? '', webhook, delivery, ...tests, ...released }
}

const NO_RELEASE = { policy: '', release: '', comment: '', execution: '', entry: '' }

/** The state that a failed execution leaves. */
async function addExecution(scope: Scope, release_id: string, environment_id: string) {
  const [execution, entry] = [randomUUIDv7(), randomUUIDv7()]
  await scope
    .insert('release_executions', {
      id: execution,
      release_id,
      status: 'failed',
      step: 'verify',
      environment_id,
      stage: null,
      progress: '{"candidates":{},"held":[]}',
      emergency_reason: null,
      error: 'no engine is healthy',
      started_by: 'system',
      ended_at: new Date(),
      lease_until: null,
      next_run_at: null,
    })
    .execute()
  await scope.update('releases').set({ execution_id: execution }).where('id', '=', release_id).execute()
  const taken = { name: 'rule', version: null, digest: null, by: 'system' }
  await scope.insert('live_history', { id: entry, environment_id, release_id, ...taken }).execute()
  return { execution, entry }
}

/** A policy that is disabled, and a release that waits for an approval. */
async function addRelease(scope: Scope, project_id: string, environment_id: string) {
  const [policy, release] = [randomUUIDv7(), randomUUIDv7()]
  const asked = { min_count: 1, roles: [], exclude_authors: false }
  const rules = {
    auto_run_tests: true,
    require_contract_mode: null,
    max_changed: null,
    require_coverage: null,
    freeze_window: null,
  }
  const settings = { priority: 0, enabled: false, environments: [], ...rules }
  await scope
    .insert('release_policies', { id: policy, project_id, name: 'rule', ...settings, ...asked, created_by: 'system' })
    .execute()
  await scope
    .insert('releases', {
      id: release,
      project_id,
      number: 1,
      kind: 'release',
      status: 'pending_approval',
      title: 'rule',
      acknowledge_breaking: false,
      content_digest: '0'.repeat(64),
      rollback_of: null,
      authors: [],
      tests: null,
      execution_id: null,
      created_by: 'system',
    })
    .execute()
  const comment = { id: randomUUIDv7(), release_id: release, text: 'a question' }
  await scope.insert('release_comments', { ...comment, created_by: 'system', updated_by: 'system' }).execute()
  const position = 0
  await scope.insert('release_environments', { release_id: release, environment_id, name: 'prod', position }).execute()
  await scope
    .insert('release_requirements', { release_id: release, position, environment_id, policy_id: null, ...asked })
    .execute()
  return { policy, release, comment: comment.id, ...(await addExecution(scope, release, environment_id)) }
}

/** A shadow of `kept` that decides about no request: no engine serves the project. */
async function addShadow(
  { tables }: Transaction,
  scope: Scope,
  project_id: string,
  environment_id: string,
): Promise<string> {
  const [id, digest] = [randomUUIDv7(), '1'.repeat(64)]
  await tables
    .insertInto('ruleset_contents')
    .values({ digest, content: '{}' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const ends_at = new Date(Date.now() + 24 * 3600 * 1000)
  const share = { ruleset_name: 'kept', from_seq: 1, digest, percent: 1, ends_at }
  await scope.insert('shadows', { id, project_id, environment_id, ...share, created_by: 'system' }).execute()
  return id
}

const KEPT = {
  config: { name: 'kept', version: '1.0.0', entry_step: 'end' },
  steps: { end: { id: 'end', name: 'end', type: 'terminal', result: { code: 'OK', message: '' } } },
}

/** A replay of `kept`, which is live, that has ended. */
async function addReplay(
  { tables }: Transaction,
  scope: Scope,
  project_id: string,
  environment_id: string,
): Promise<string> {
  const [id, digest] = [randomUUIDv7(), '2'.repeat(64)]
  await tables
    .insertInto('ruleset_contents')
    .values({ digest, content: JSON.stringify(KEPT) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await scope.insert('desired_rulesets', { environment_id, name: 'kept', digest, version: '1.0.0' }).execute()
  const versions = { from_seq: 1, digest, base_version: '1.0.0', base_digest: digest }
  const results = { total: 0, records: JSON.stringify(NOTHING_REPLAYED), status: 'completed' as const }
  const times = { decided_to: new Date(), next_at: null }
  await scope
    .insert('replays', {
      id,
      project_id,
      environment_id,
      ruleset_name: 'kept',
      ...versions,
      ...results,
      ...times,
      created_by: 'system',
    })
    .execute()
  return id
}

/** A decision of `kept` that an engine has kept. */
async function addDecision(scope: Scope, project_id: string, environment_id: string): Promise<string> {
  const id = randomUUIDv7()
  const place = { project_id, environment_id, ruleset_name: 'kept', digest: '1'.repeat(64) }
  const sent = { server_id: randomUUIDv7(), session: 'one', seq: 1, receipt: null }
  const decided = { at: new Date(), code: 'OK', input: '{}', output: '{}' }
  await scope.insert('recorded_decisions', { id, ...place, ...sent, ...decided }).execute()
  return id
}

/** A test suite `rule` with one case. */
async function addSuite(scope: Scope, draft_id: string) {
  const [suite, testCase] = [randomUUIDv7(), randomUUIDv7()]
  const cases = JSON.stringify([{ id: testCase, name: 'first', input: {}, expect: { error: '' } }])
  await scope.insert('test_suites', { id: suite, draft_id, name: 'rule', cases, created_by: 'system' }).execute()
  return { suite, testCase }
}

/** Rulesets that were saved once. Returns their ids. */
async function addDrafts(
  scope: Scope,
  project_id: string,
  drafts: readonly (readonly [name: string, deletedAt: Date | null])[],
): Promise<readonly string[]> {
  const made = drafts.map(([name, deleted_at]) => ({ id: randomUUIDv7(), project_id, name, seq: 1, deleted_at }))
  const by = { created_by: 'system', updated_by: 'system' }
  await scope
    .insert(
      'drafts',
      made.map((draft) => ({ ...draft, ...by })),
    )
    .execute()
  const saves = made.map(({ id, deleted_at: _deleted, ...rest }) => ({
    ...rest,
    draft_id: id,
    ruleset: JSON.stringify(grading(rest.name)),
    saved_by: 'system',
  }))
  await scope.insert('draft_saves', saves).execute()
  return made.map(({ id }) => id)
}

/** A sub-rule `rule` that nothing uses. */
async function addSubRule(scope: Scope, project_id: string | null): Promise<void> {
  const id = randomUUIDv7()
  const version = '1.0.0'
  await scope.insert('sub_rules', { id, project_id, name: 'rule', version, created_by: 'system' }).execute()
  const content = JSON.stringify(feeOf('2'))
  await scope.insert('sub_rule_saves', { sub_rule_id: id, seq: 1, version, content, saved_by: 'system' }).execute()
}

async function addCatalog(scope: Scope, project_id: string): Promise<void> {
  const row = () => ({ id: randomUUIDv7(), project_id, name: 'rule', created_by: 'system' })
  await scope.insert('facts', { ...row(), type: 'string', tags: [] }).execute()
  await scope.insert('concepts', { ...row(), fields: '[]' }).execute()
  const content = '{"input":{"fields":[]},"outputs":[]}'
  await scope.insert('contracts', { ...row(), version: '1.0.0', content, fields: [], concepts: [] }).execute()
}

async function addServer({ scope: within }: Transaction, org: OrgId): Promise<string> {
  const id = randomUUIDv7()
  const engine = { name: id, instance_id: id, version: '1.0.0', capabilities: [], tenants: false }
  await within(org)
    .insert('servers', { id, ...engine, token_hash: newToken('srv').hash, created_by: 'system' })
    .execute()
  return id
}

async function addConnectToken({ scope: within }: Transaction, org: OrgId): Promise<string> {
  const [id, { hash: token_hash, prefix }] = [randomUUIDv7(), newToken('con')]
  await within(org).insert('connect_tokens', { id, token_hash, prefix, created_by: 'system' }).execute()
  return id
}

async function addInvitation(
  { scope: within }: Transaction,
  org: OrgId,
  role_id: string,
): Promise<World['invitation']> {
  const scope = within(org)
  const [member_id, id, token] = [randomUUIDv7(), randomUUIDv7(), newToken('inv')]
  const email = `invited-${member_id}@example.com`
  await scope.insert('members', { id: member_id, email, status: 'invited', created_by: 'system' }).execute()
  await scope.insert('member_roles', { member_id, role_id }).execute()
  await scope
    .insert('invitations', {
      id,
      member_id,
      token_hash: token.hash,
      prefix: token.prefix,
      sent: false,
      created_by: 'system',
      expires_at: new Date(Date.now() + 3600_000),
    })
    .execute()
  return { id, token: token.text, email }
}

/** A new session of an account: its id and its token. */
export async function signIn({ unscoped: { tables } }: Database, { id }: Account) {
  const { auth_epoch } = await tables
    .selectFrom('users')
    .select('auth_epoch')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return openSession(tables, { id, auth_epoch }, { address: '127.0.0.1', userAgent: 'test' })
}

/** The token of a one-time link. */
export function linkFor({ unscoped: { tables } }: Database, { id }: Account): Promise<string> {
  return newOneTimeToken(tables, id, 'sign-in')
}

/** A notification of a person. */
export async function addNotification(database: Database, org: OrgId, userId: string): Promise<string> {
  const id = randomUUIDv7()
  await database.note(org, ({ scope }) =>
    scope
      .insert('notifications', {
        id,
        user_id: userId,
        kind: 'member_changed',
        ref_type: 'member',
        ref_id: id,
        payload: '{}',
      })
      .execute(),
  )
  return id
}
