import { randomUUIDv7 } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Caller, KeyHolder, Person } from '../../apps/platform-server/src/access/caller.ts'
import { hashPassword, isPassword } from '../../apps/platform-server/src/access/passwords.ts'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import {
  accountByEmail,
  accountById,
  changeAccount,
  createAccount,
  emailOf,
  nameOf,
  registerAccount,
  userOf,
} from '../../apps/platform-server/src/features/identity/accounts.ts'
import { firstToken } from '../../apps/platform-server/src/features/identity/first-start.ts'
import { describeCaller } from '../../apps/platform-server/src/features/identity/me.ts'
import {
  accountOfOneTimeToken,
  linkOf,
  newOneTimeToken,
  useOneTimeToken,
} from '../../apps/platform-server/src/features/identity/one-time-links.ts'
import { createOwnAccount } from '../../apps/platform-server/src/features/identity/own-account.ts'
import {
  endOtherSessions,
  endSession,
  openSession,
  personOfSession,
  sessionsOf,
} from '../../apps/platform-server/src/features/identity/sessions.ts'
import { type Browser, createSignIn } from '../../apps/platform-server/src/features/identity/sign-in.ts'
import { useDatabase } from './databases.testing.ts'
import { addOrganization } from './organization.testing.ts'
import { PASSWORD } from './platform.testing.ts'
import { auditOf } from './rows.testing.ts'

/** Accounts, sessions and sign-ins as the database has them. */

const database = useDatabase('postgres')
const tables = () => database().unscoped.tables
const ORIGIN = { address: '192.0.2.1', userAgent: 'browser' }
const past = () => new Date(Date.now() - 1)

let password_hash: string
let ann: Person
let bob: Person
let org: OrgId
async function addPerson(name: string): Promise<Person> {
  password_hash ??= await hashPassword(PASSWORD)
  const email = `${name.toLowerCase()}-${randomUUIDv7()}@example.com`
  const account = await createAccount(tables(), email, name, password_hash)
  if (account === undefined) throw new Error('the address is taken')
  const { id } = await openSession(tables(), account, ORIGIN)
  return { kind: 'user', id: account.id, email, displayName: name, sessionId: id }
}
const open = async (person: Person, origin: Parameters<typeof openSession>[2] = ORIGIN) =>
  openSession(tables(), await accountById(tables(), person.id), origin)
const idsOf = async (person: Person) => (await sessionsOf(tables(), person.id)).map(({ id }) => id)
beforeEach(async () => {
  ;[ann, bob] = [await addPerson('Ann'), await addPerson('Bob')]
  org = await addOrganization(database())
  const member = {
    id: randomUUIDv7(),
    user_id: ann.id,
    email: ann.email,
    status: 'active',
    created_by: 'system',
  } as const
  await database().note(org, ({ scope }) => scope.insert('members', member).execute())
})
const audits = (action: string) => auditOf(database().scope(org), action)

describe('the sessions of a person', () => {
  test('are listed from the newest one on, with their origin, and without those that have ended', async () => {
    const { id: second } = await open(ann, { address: '192.0.2.2', userAgent: 'x'.repeat(301) })
    const { id: idle } = await open(ann)
    const { id: expired } = await open(ann)
    const change = (id: string, set: object) => tables().updateTable('sessions').set(set).where('id', '=', id).execute()
    await change(idle, { last_used_at: new Date(Date.now() - 12 * 3_600_000 - 1000) })
    await change(expired, { expires_at: past() })
    expect(await sessionsOf(tables(), ann.id)).toMatchObject([
      { id: second, ip: '192.0.2.2', user_agent: 'x'.repeat(300) },
      { id: ann.sessionId, ip: '192.0.2.1', user_agent: 'browser' },
    ])
    await changeAccount(tables(), ann.id, { password_hash })
    expect(await idsOf(ann)).toEqual([])
    expect(await idsOf(bob)).toEqual([bob.sessionId])
  })

  test('last a week, and name the person', async () => {
    const { id, token } = await open(ann)
    const [session] = await sessionsOf(tables(), ann.id)
    expect(Math.round(((session?.expires_at.getTime() ?? 0) - Date.now()) / 60_000)).toBe(7 * 24 * 60)
    expect(await personOfSession(tables(), token)).toEqual({ ...ann, sessionId: id })
    expect(await personOfSession(tables(), token.replace('ses', 'otl'))).toBeUndefined()
    await changeAccount(tables(), ann.id, { password_hash })
    expect(await personOfSession(tables(), token)).toBeUndefined()
  })

  test('are ended one by one or all but one, never those of another person', async () => {
    const [{ id: second }, { id: third }] = [await open(ann), await open(ann)]
    expect(await endSession(tables(), bob.id, second)).toBe(false)
    expect(await endSession(tables(), ann.id, second)).toBe(true)
    expect(await endSession(tables(), ann.id, second)).toBe(false)
    expect(await idsOf(ann)).toEqual([third, ann.sessionId])
    expect(await endOtherSessions(tables(), ann.id, ann.sessionId)).toBe(1)
    expect([await idsOf(ann), await idsOf(bob)]).toEqual([[ann.sessionId], [bob.sessionId]])
  })
})

describe('an account', () => {
  test.each<readonly [Parameters<typeof changeAccount>[2], number]>([
    [{ email: 'new@example.com' }, 0],
    [{ display_name: 'New' }, 0],
    [{ password_hash: 'new' }, 1],
  ])('that changes by %o keeps the rest, and ends its sessions only for a new password', async (change, epochs) => {
    const [before, other] = [await accountById(tables(), ann.id), await accountById(tables(), bob.id)]
    const changed = { ...change, ...(change.email === undefined ? {} : { email: `${randomUUIDv7()}@example.com` }) }
    const after = await changeAccount(tables(), ann.id, changed)
    const rest = { rev: before.rev + 1, auth_epoch: before.auth_epoch + epochs, updated_at: expect.any(Date) }
    expect(after).toEqual({ ...before, ...changed, ...rest })
    expect(after.updated_at.getTime()).toBeGreaterThan(before.updated_at.getTime())
    expect(await accountById(tables(), bob.id)).toEqual(other)
    expect(await idsOf(ann)).toHaveLength(1 - epochs)
  })

  test('is made once for an address; to register it again changes nothing', async () => {
    const before = await accountById(tables(), ann.id)
    expect(await createAccount(tables(), ann.email, 'Eve', undefined)).toBeUndefined()
    await registerAccount(tables(), ann.email, 'Eve', 'another')
    expect(await accountById(tables(), ann.id)).toEqual(before)
    const email = `${randomUUIDv7()}@example.com`
    await registerAccount(tables(), email, 'Eve', 'hash')
    expect(await accountByEmail(tables(), email)).toMatchObject({ display_name: 'Eve', password_hash: 'hash', rev: 1 })
  })

  test('is shown with the time of its last sign-in', async () => {
    const account = await accountById(tables(), ann.id)
    const shown = { id: ann.id, email: ann.email, display_name: 'Ann', last_login: null }
    expect(userOf(account)).toEqual(shown)
    expect(userOf({ ...account, last_login: new Date(0) })).toEqual({
      ...shown,
      last_login: '1970-01-01T00:00:00.000Z',
    })
  })

  test.each([
    [' Ann@Example.COM ', 'ann@example.com'],
    ['ann', undefined],
    ['', undefined],
  ])('has the address %j as %j', (text, address) => {
    if (address === undefined) expect(() => emailOf(text)).toThrow('is not an email address')
    else expect(emailOf(text)).toBe(address)
  })

  test.each([
    ['  Ann  ', 'Ann'],
    ['   ', undefined],
    ['A\u0000n', undefined],
    ['A\u0085n', undefined],
  ])('has the name %j as %j', (text, name) => {
    if (name === undefined)
      expect(() => nameOf(text, '/name')).toThrow('must have characters, and no control characters')
    else expect(nameOf(text)).toBe(name)
  })
})

describe('a one-time link', () => {
  test('voids only those of the same purpose and account', async () => {
    const first = await newOneTimeToken(tables(), ann.id, 'reset')
    const [other, sign] = [
      await newOneTimeToken(tables(), bob.id, 'reset'),
      await newOneTimeToken(tables(), ann.id, 'sign-in'),
    ]
    const second = await newOneTimeToken(tables(), ann.id, 'reset')
    expect(await useOneTimeToken(tables(), first)).toBeUndefined()
    expect(await useOneTimeToken(tables(), second)).toEqual({ userId: ann.id, purpose: 'reset' })
    expect(await useOneTimeToken(tables(), other)).toEqual({ userId: bob.id, purpose: 'reset' })
    expect(await useOneTimeToken(tables(), sign)).toEqual({ userId: ann.id, purpose: 'sign-in' })
  })

  test.each(['used', 'expired'])('shows its account until it is %s', async (end) => {
    const token = await newOneTimeToken(tables(), ann.id, 'reset')
    const shown = { email: ann.email, display_name: 'Ann', purpose: 'reset' }
    for (let time = 0; time < 2; time++) expect(await accountOfOneTimeToken(tables(), token)).toEqual(shown)
    const set = end === 'used' ? { used_at: new Date() } : { expires_at: past() }
    await tables().updateTable('one_time_tokens').set(set).where('user_id', '=', ann.id).execute()
    expect(await accountOfOneTimeToken(tables(), token)).toBeUndefined()
  })

  test('has its token in the fragment, which browsers do not send', () => {
    expect(linkOf('https://engine.example', 'eng_otl_x')).toBe('https://engine.example/sign-in#token=eng_otl_x')
  })
})

describe('a change that people make to their own account is audited', () => {
  const origin = { address: '192.0.2.9', requestId: 'r-1' }
  const own = () => createOwnAccount(database())

  test('with the session that ended', async () => {
    const { id } = await open(ann)
    await own().endSession(ann, id, origin)
    await own().endSession(ann, id, origin)
    expect(await audits('session.deleted')).toMatchObject([
      {
        ip: '192.0.2.9',
        request_id: 'r-1',
        actor_id: ann.id,
        actor_name: ann.email,
        object_id: ann.id,
        before: { session: id },
        after: null,
      },
    ])
  })

  test.each([0, 1, 2])('with the number of the other sessions that ended: %d', async (count) => {
    for (let one = 0; one < count; one++) await open(ann)
    await own().endOtherSessions(ann, origin)
    const found = (await audits('session.deleted')).map(({ before }) => before)
    expect(found).toEqual(count === 0 ? [] : [{ sessions: count }])
    expect(await idsOf(ann)).toEqual([ann.sessionId])
  })

  test('with the former name', async () => {
    await own().rename(ann, 'Anna', origin)
    expect(await audits('session.updated')).toMatchObject([
      { ip: '192.0.2.9', request_id: 'r-1', before: { display_name: 'Ann' }, after: { display_name: 'Anna' } },
    ])
    expect((await accountById(tables(), ann.id)).display_name).toBe('Anna')
  })
})

describe('a sign-in', () => {
  const browser = (more: Partial<Browser> = {}): Browser => ({
    ...ORIGIN,
    address: randomUUIDv7(),
    requestId: 'r-1',
    sessionId: undefined,
    device: undefined,
    ...more,
  })
  const counted: string[] = []
  const jobs: Promise<unknown>[] = []
  const signIn = () =>
    createSignIn(
      database(),
      { signedIn: (...labels: readonly string[]) => void counted.push(labels.join(' ')) } as never,
      { run: (_name: string, work: () => Promise<unknown>) => void jobs.push(work()) } as never,
    )
  beforeEach(() => {
    counted.length = 0
    jobs.length = 0
  })
  const wrong = 'a wrong phrase'
  const attemptsOf = async (subject: string) =>
    (await tables().selectFrom('sign_in_attempts').select('attempts').where('subject', '=', subject).executeTakeFirst())
      ?.attempts

  test('by password opens a session instead of the one before, and is audited, counted and dated', async () => {
    const own = browser({ sessionId: ann.sessionId, userAgent: 'phone' })
    const { user, session } = await signIn().byPassword(` ${ann.email.toUpperCase()} `, PASSWORD, own)
    expect(Math.abs(Date.parse(user.last_login ?? '') - Date.now())).toBeLessThan(60_000)
    const person = await personOfSession(tables(), session)
    expect(person).toMatchObject({ id: ann.id, email: ann.email })
    expect(await sessionsOf(tables(), ann.id)).toMatchObject([{ id: person?.sessionId, user_agent: 'phone' }])
    expect(await audits('session.signed_in')).toMatchObject([{ object_id: ann.id, ip: own.address, request_id: 'r-1' }])
    expect(counted).toEqual(['password ok'])
  })

  test('that is refused is audited after its answer, if there is an account', async () => {
    const own = browser()
    await expect(signIn().byPassword(ann.email, wrong, own)).rejects.toMatchObject({ code: 'unauthorized' })
    await expect(signIn().byPassword('nobody@example.com', wrong, own)).rejects.toMatchObject({ code: 'unauthorized' })
    expect(jobs).toHaveLength(1)
    await Promise.all(jobs)
    expect(await audits('session.signed_in_failed')).toMatchObject([{ object_id: ann.id, ip: own.address }])
    expect(counted).toEqual(['password refused', 'password refused'])
  })

  test('counts attempts by account and address until one succeeds, and none of a known browser against its address', async () => {
    const [account, strange] = [`account:${ann.email}`, browser()]
    for (let one = 0; one < 3; one++)
      await signIn()
        .byPassword(ann.email, wrong, strange)
        .catch(() => {})
    expect([await attemptsOf(account), await attemptsOf(`address:${strange.address}`)]).toEqual([3, 3])
    const { device } = await signIn().byPassword(ann.email, PASSWORD, strange)
    expect([await attemptsOf(account), await attemptsOf(`address:${strange.address}`)]).toEqual([undefined, 3])
    const known = browser({ device })
    await signIn()
      .byPassword(ann.email, wrong, known)
      .catch(() => {})
    expect([await attemptsOf(account), await attemptsOf(`address:${known.address}`)]).toEqual([undefined, undefined])
    // At another account the same browser is a stranger.
    await signIn()
      .byPassword(bob.email, wrong, known)
      .catch(() => {})
    expect([await attemptsOf(`account:${bob.email}`), await attemptsOf(`address:${known.address}`)]).toEqual([1, 1])
  })

  test('marks a browser once for each account', async () => {
    const first = await signIn().byPassword(ann.email, PASSWORD, browser())
    expect(first.device).toMatch(/^eng_dev_/)
    const known = browser({ device: first.device })
    expect((await signIn().byPassword(ann.email, PASSWORD, known)).device).toBeUndefined()
    expect((await signIn().byPassword(bob.email, PASSWORD, known)).device).toMatch(/^eng_dev_/)
  })

  test('beyond the limit is counted as such', async () => {
    const values = { subject: `account:${ann.email}`, attempts: 10, window_begun: new Date() }
    await tables().insertInto('sign_in_attempts').values(values).execute()
    await expect(signIn().byPassword(ann.email, PASSWORD, browser())).rejects.toMatchObject({
      code: 'too-many-requests',
    })
    expect(counted).toEqual(['password limited'])
  })

  test.each<readonly [string, object, object]>([
    ['nothing', {}, {}],
    ['the name', { display_name: ' Anna ' }, { display_name: 'Anna' }],
    ['the address', { email: 'Link@Example.com' }, { email: 'link@example.com' }],
  ])('by link sets %s and keeps the rest', async (_name, change, changed) => {
    const before = await accountById(tables(), ann.id)
    const token = await newOneTimeToken(tables(), ann.id, 'sign-in')
    const { user } = await signIn().byLink({ token, ...change }, browser())
    expect(user).toMatchObject({ id: ann.id, email: ann.email, display_name: 'Ann', ...changed })
    expect((await accountById(tables(), ann.id)).password_hash).toBe(before.password_hash)
    await expect(signIn().byLink({ token }, browser())).rejects.toMatchObject({ code: 'unauthorized' })
    expect(counted).toEqual(['link ok', 'link refused'])
    await changeAccount(tables(), ann.id, { email: ann.email })
  })

  test('by link with an address that another account has is refused', async () => {
    const token = await newOneTimeToken(tables(), ann.id, 'sign-in')
    const taken = signIn().byLink({ token, email: bob.email }, browser())
    await expect(taken).rejects.toMatchObject({ details: [expect.objectContaining({ code: 'duplicate' })] })
    expect(counted).toEqual(['link refused'])
  })

  test('with a new password replaces all sessions of the account, and is audited without it', async () => {
    await open(ann)
    const [account, own] = [await accountById(tables(), ann.id), browser({ sessionId: ann.sessionId })]
    const refused = signIn().changePassword(account, wrong, 'another phrase', own)
    await expect(refused).rejects.toMatchObject({ details: [expect.objectContaining({ code: 'password' })] })
    const { session } = await signIn().changePassword(account, PASSWORD, 'another phrase', own)
    const { sessionId } = (await personOfSession(tables(), session)) ?? {}
    const rows = await tables().selectFrom('sessions').select('id').where('user_id', '=', ann.id).execute()
    expect(rows).toEqual([{ id: sessionId }])
    expect(await idsOf(bob)).toEqual([bob.sessionId])
    const { password_hash: hash } = await accountById(tables(), ann.id)
    expect(await isPassword(hash ?? undefined, 'another phrase')).toBe(true)
    expect(await audits('session.updated')).toMatchObject([
      { object_id: ann.id, ip: own.address, request_id: 'r-1', after: { password: 'changed' } },
    ])
  })
})

describe('the caller', () => {
  test('that is a key is described with its limits', async () => {
    const key: KeyHolder = {
      kind: 'key',
      id: randomUUIDv7(),
      name: 'k',
      orgId: org,
      userId: null,
      scopes: ['project.read', 'test.run'],
      projectIds: ['p'],
      environments: ['dev'],
    }
    const { id, name, scopes } = key
    expect(await describeCaller(database(), key)).toEqual({
      user: null,
      key: { id, name, org_id: org, scopes, project_ids: ['p'], environments: ['dev'] },
      organizations: [{ id: org, name: expect.any(String), parent_org_id: null, my_roles: [], my_permissions: scopes }],
    })
    const whole: Caller = { ...key, projectIds: null, environments: null }
    expect(await describeCaller(database(), whole)).toMatchObject({ key: { project_ids: null, environments: null } })
  })

  test('that is a person is described with the own organizations, by name', async () => {
    const first = await addOrganization(database(), '!first')
    const member = { id: randomUUIDv7(), user_id: ann.id, email: ann.email, created_by: 'system' }
    await database().note(first, ({ scope }) => scope.insert('members', { ...member, status: 'active' }).execute())
    const { key, organizations } = await describeCaller(database(), ann)
    expect([key, organizations.map(({ id }) => id)]).toEqual([null, [first, org]])
    expect(organizations[0]?.my_permissions).toEqual(['project.read'])
    expect((await describeCaller(database(), bob)).organizations).toEqual([])
  })
})

test('links of the first start are made until a person has signed in', async () => {
  await tables().updateTable('users').set({ last_login: null }).execute()
  expect(await firstToken(database(), 'first@example.com')).toMatch(/^eng_otl_/)
  await tables().updateTable('users').set({ last_login: new Date() }).where('id', '=', ann.id).execute()
  expect(await firstToken(database(), 'first@example.com')).toBeUndefined()
})
