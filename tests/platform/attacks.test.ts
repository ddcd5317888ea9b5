import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Attack, ATTACKS } from './attacks.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { asking, feeOf, newName } from './drafts.testing.ts'
import { type Answered, type Client, startPlatform, type TestPlatform } from './platform.testing.ts'
import { newScene, type Scene, sceneOf } from './releases.testing.ts'
import { acceptAs, made, newTeam, type Team, type TestPerson } from './team.testing.ts'

const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
let people: Readonly<Record<'alice' | 'carol' | 'eve' | 'vic' | 'mallory', TestPerson>>
let elsewhere: Scene
beforeAll(async () => {
  platform = await startPlatform(database(), ['--rate-limit', '0'])
  team = await newTeam(platform, newName())
  elsewhere = await newScene(platform)
  people = {
    alice: await team.join(['admin']),
    carol: await team.join(['admin']),
    eve: await team.join(['editor']),
    vic: await team.join(['viewer']),
    mallory: elsewhere.owner,
  }
})
afterAll(() => platform.stop())

/** One attack in progress. */
interface Stage {
  readonly scene: Scene
  readonly name: string
  readonly policy: string
  readonly bob: TestPerson & { readonly memberId: string }
  otherBob?: TestPerson
  dave?: TestPerson & { readonly memberId: string; readonly url: string }
  key?: { readonly id: string; readonly client: Client }
  release?: Answered['body']
  beside?: string
  /** The content digest of the first release that was requested. */
  read?: string
}

type Act = (stage: Stage) => Promise<Answered>

const L = ({ scene, release }: Stage, operation = '') => `${scene.P}/releases/${release.id}${operation}`
const R = ({ scene, name }: Stage, more = '') => `${scene.P}/rulesets/${name}${more}`

const doing =
  (who: (stage: Stage) => Client, operation: string, body: object = {}): Act =>
  (stage) =>
    who(stage).request('POST', L(stage, `/${operation}`), body)
const approving = (who: (stage: Stage) => Client) => doing(who, 'approve')
const executing = (who: (stage: Stage) => Client, body: object = {}) => doing(who, 'execute', body)
const policyAs =
  (who: (stage: Stage) => Client, body: object): Act =>
  (stage) =>
    who(stage).request('PUT', `${stage.scene.P}/release-policies/${stage.policy}`, body)

async function editing(by: Client, stage: Stage, points: number): Promise<Answered> {
  await stage.scene.save(by, stage.name, points)
  return by.request('GET', R(stage))
}

async function asked(by: Client, stage: Stage): Promise<Answered> {
  const { body } = await by.request('GET', R(stage))
  const more = { acknowledge_breaking: true }
  const answer = await stage.scene.ask(by, stage.name, body.seq, ['prod'], more)
  stage.release = answer.body
  stage.read ??= answer.body.content_digest
  return answer
}

async function keyOf(by: Client, stage: Stage): Promise<Answered> {
  const scopes = ['project.read', 'ruleset.edit', 'release.approve', 'token.manage']
  const answer = await by.request('POST', `${team.path}/api-keys`, { name: newName(), scopes })
  stage.key = { id: answer.body.id, client: platform.program(answer.body.token) }
  return answer
}

const owner = () => team.owner
const alice = () => people.alice
const carol = () => people.carol
const eve = () => people.eve
const vic = () => people.vic
const mallory = () => people.mallory
const bob = (stage: Stage) => stage.bob
const key = (stage: Stage) => stage.key?.client ?? platform.program(undefined)

const address = (type: string) => ({ name: 'address', fields: [{ name: 'city', type }] })
const points = (description: string) => ({ name: 'points', type: 'number', description })
const contract = (name: string, more: readonly object[] = []) => ({
  name,
  version: '1.0.0',
  input: { fields: [{ name: 'points', type: 'number' }, ...more] },
  outputs: [
    { code: 'GRANTED', fields: [{ name: 'limit', type: 'number' }] },
    { code: 'REFUSED', fields: [] },
  ],
})

/** Implementations of the words in the table. */
const ACTS: Readonly<Record<string, Act>> = {
  'eve edits': (stage) => editing(eve(), stage, 20),
  'alice edits': (stage) => editing(alice(), stage, 30),
  'the key edits': (stage) => editing(key(stage), stage, 40),
  'eve asks': (stage) => asked(eve(), stage),
  'eve asks again': (stage) => asked(eve(), stage),
  'alice asks': (stage) => asked(alice(), stage),
  async 'alice edits elsewhere'(stage) {
    stage.beside = newName()
    await stage.scene.save(alice(), stage.beside)
    return alice().request('GET', `${stage.scene.P}/rulesets/${stage.beside}`)
  },
  'eve renames it here': ({ scene, name, beside }) =>
    eve().request('POST', `${scene.P}/rulesets/${beside}/rename`, { name }),
  'alice edits the sub-rule': ({ scene, name }) =>
    alice().request('POST', `${scene.P}/sub-rules`, { name: `s-${name}`, ...feeOf('2') }),
  'eve edits with the sub-rule': (stage) =>
    eve().request('POST', R(stage), { ruleset: asking(stage.name, `s-${stage.name}`), expected_seq: 0 }),
  'eve edits the sub-rule': ({ scene, name }) =>
    eve().request('POST', `${scene.P}/sub-rules`, { name: `s-${name}`, ...feeOf('2') }),
  'eve changes the sub-rule': ({ scene, name }) =>
    eve().request('PUT', `${scene.P}/sub-rules/s-${name}`, { ...feeOf('3'), expected_seq: 1 }),
  'eve makes the concept': ({ scene }) => eve().request('POST', `${scene.P}/concepts`, address('string')),
  'alice makes the concept': ({ scene }) => alice().request('POST', `${scene.P}/concepts`, address('string')),
  'eve changes the concept': ({ scene }) => eve().request('PUT', `${scene.P}/concepts/address`, address('number')),
  'eve makes the fact': ({ scene }) => eve().request('POST', `${scene.P}/facts`, points('in a year')),
  'alice edits the fact': ({ scene }) => alice().request('PUT', `${scene.P}/facts/points`, points('in a month')),
  'eve has the contract name it': ({ scene, name }) =>
    eve().request('POST', `${scene.P}/contracts`, contract(name, [{ name: 'home', type: 'concept:address' }])),
  'alice edits the contract': ({ scene, name }) => alice().request('POST', `${scene.P}/contracts`, contract(name)),
  'alice edits the tests': (stage) =>
    alice().request('POST', R(stage, '/tests'), { name: 'easy', input: { points: 99 }, expect: { code: 'GRANTED' } }),
  'alice makes a key': (stage) => keyOf(alice(), stage),
  'bob makes a key': (stage) => keyOf(stage.bob, stage),
  'the key makes a key': (stage) => keyOf(key(stage), stage),
  'alice revokes the key': (stage) => alice().request('DELETE', `${team.path}/api-keys/${stage.key?.id}`),

  'alice approves': approving(alice),
  'bob approves': approving(bob),
  'carol approves': approving(carol),
  'eve approves': approving(eve),
  'vic approves': approving(vic),
  'mallory approves': approving(mallory),
  'the key approves': approving(key),
  'the other bob approves': approving((stage) => stage.otherBob ?? stage.bob),
  'alice rejects': doing(alice, 'reject', { reason: 'no' }),
  'bob rejects': doing(bob, 'reject', { reason: 'no' }),
  'eve cancels': doing(eve, 'cancel'),
  'bob approves what he has read before': doing(bob, 'approve', { content_digest: 'f'.repeat(64) }),
  'bob approves what he has read first': (stage) => doing(bob, 'approve', { content_digest: stage.read })(stage),
  async 'bob approves twice at once'(stage) {
    const both = await Promise.all([ACTS['bob approves']?.(stage), ACTS['bob approves']?.(stage)])
    expect(both.filter((answer) => answer?.status === 200)).toHaveLength(1)
    return both.find((answer) => answer?.status !== 200) as Answered
  },
  async 'bob approves while eve edits'(stage) {
    const [answer] = await Promise.all([ACTS['bob approves']?.(stage), editing(eve(), stage, 50)])
    expect(answer?.body.content_digest).toBe(stage.release.content_digest)
    return answer as Answered
  },
  async 'the invited approves'(stage) {
    const invited = await platform.person()
    await made(team.owner.request('POST', `${team.path}/members`, { email: invited.email, roles: ['admin'] }))
    return approving(() => invited)(stage)
  },

  async 'the owner invites dave'(stage) {
    const person = await platform.person()
    const invitation = { email: person.email, roles: ['admin'] }
    const answer = await team.owner.request('POST', `${team.path}/members`, invitation)
    stage.dave = { ...person, memberId: answer.body.id, url: answer.body.invitation.url }
    return answer
  },
  async 'the invitation expires'({ dave }) {
    const { tables } = database().unscoped
    const past = { expires_at: new Date(Date.now() - 1) }
    await tables
      .updateTable('invitations')
      .set(past)
      .where('member_id', '=', dave?.memberId ?? '')
      .execute()
    return team.owner.request('GET', `${team.path}/invitations`)
  },
  async 'dave accepts and approves'(stage) {
    const { dave } = stage
    if (dave === undefined) throw new Error('dave was not invited')
    const accepted = await acceptAs(dave, dave.url)
    expect(accepted.status, accepted.text).toBe(401)
    return approving(() => dave)(stage)
  },
  async 'the session of bob expires'({ bob: person }) {
    const { tables } = database().unscoped
    const past = { expires_at: new Date(Date.now() - 1) }
    const { body } = await person.request('GET', '/api/v1/me')
    await tables.updateTable('sessions').set(past).where('user_id', '=', body.user.id).execute()
    return team.owner.request('GET', team.path)
  },
  'bob signs out': ({ bob: person }) => person.request('POST', '/api/v1/auth/logout', {}),
  'bob becomes owner': ({ bob: person }) =>
    person.request('PUT', `${team.path}/members/${person.memberId}/roles`, { roles: ['owner'] }),
  'bob becomes a viewer': ({ bob: person }) =>
    team.owner.request('PUT', `${team.path}/members/${person.memberId}/roles`, { roles: ['viewer'] }),
  'the owner removes bob': ({ bob: person }) => team.owner.request('DELETE', `${team.path}/members/${person.memberId}`),
  async 'bob joins with another account'(stage) {
    const person = await platform.person()
    stage.otherBob = person
    const invitation = { email: person.email, roles: ['admin'] }
    const member = await made(team.owner.request('POST', `${team.path}/members`, invitation))
    return acceptAs(person, member.invitation.url)
  },

  'eve has no approvals asked for': policyAs(eve, { approvers: { min_count: 0 } }),
  'the owner has two approvals asked for': policyAs(owner, { approvers: { min_count: 2 } }),
  'the owner has owners asked for': policyAs(owner, { approvers: { roles: ['owner'] } }),
  'alice has one approval asked for': policyAs(alice, { approvers: { min_count: 1 } }),
  'alice freezes': policyAs(alice, { freeze_window: { cron: '* * * * *', duration: '1d' } }),
  'alice deletes the policy': ({ scene, policy }) => alice().request('DELETE', `${scene.P}/release-policies/${policy}`),
  'alice makes a policy below that asks for nothing': ({ scene }) =>
    alice().request('POST', `${scene.P}/release-policies`, {
      name: newName(),
      priority: -1,
      approvers: { min_count: 0 },
    }),

  'bob executes': executing(bob),
  'carol executes': executing(carol),
  'eve executes': executing(eve),
  'bob executes in an emergency': executing(bob, { emergency_reason: 'now' }),
  'the owner executes in an emergency': executing(owner, { emergency_reason: 'now' }),
  async 'the owner executes in an emergency, on the record'(stage) {
    const answer = await executing(owner, { emergency_reason: 'fraud' })(stage)
    const { body: history } = await owner().request('GET', L(stage, '/history'))
    const { body: audit } = await owner().request('GET', `${team.path}/audit?object_id=${stage.release.id}`)
    const reason = { emergency_reason: 'fraud' }
    expect(history.items).toContainEqual(
      expect.objectContaining({ type: 'execution_started', data: { ...reason, expected: [] } }),
    )
    expect(audit.items).toContainEqual(
      expect.objectContaining({ action: 'release.executed', after: expect.objectContaining(reason) }),
    )
    return answer
  },
  async 'carol executes what was approved'(stage) {
    const answer = await executing(carol)(stage)
    const { body } = await carol().request('GET', L(stage))
    const { content_digest, rulesets } = stage.release
    expect(body).toMatchObject({ content_digest, rulesets })
    return answer
  },
  'alice publishes': (stage) => alice().request('POST', R(stage, '/publish'), { environment: 'prod' }),
  'alice publishes into dev': (stage) => alice().request('POST', R(stage, '/publish'), { environment: 'dev' }),
  async 'bob has a project of his own'(stage) {
    const answer = await stage.bob.request('POST', `${team.path}/projects`, { name: newName() })
    stage.beside = `${team.path}/projects/${answer.body.id}`
    return answer
  },
  'bob approves there': (stage) =>
    stage.bob.request('POST', `${stage.beside}/releases/${stage.release.id}/approve`, {}),
  'mallory approves at home': (stage) =>
    mallory().request('POST', `${elsewhere.P}/releases/${stage.release.id}/approve`, {}),
}

async function begin({ policy = {} }: Attack): Promise<Stage> {
  const project = await made(team.owner.request('POST', `${team.path}/projects`, { name: newName() }))
  const scene = sceneOf(team, `${team.path}/projects/${project.id}`)
  const rule = policy === null ? { id: '' } : await scene.policy({ approvers: { exclude_authors: true }, ...policy })
  return { scene, name: newName(), policy: rule.id, bob: await team.join(['admin']) }
}

async function act(stage: Stage, words: string): Promise<Answered> {
  const found = ACTS[words]
  if (found === undefined) throw new Error(`no act: ${words}`)
  return found(stage)
}

describe.each(ATTACKS)('%s', (_subject, attacks) => {
  test.each(attacks.map((attack) => [attack.title, attack] as const))('%s', async (_title, attack) => {
    const stage = await begin(attack)
    for (const words of attack.given) {
      const { status, text } = await act(stage, words)
      expect(status, `${words}: ${text}`).toBeLessThan(300)
    }
    const { status, body, text } = await act(stage, attack.attempt)
    const [expected, code] = attack.answer
    expect(status, text).toBe(expected)
    if (code !== undefined) expect(body.details[0].code, text).toBe(code)
    if (attack.leaves === undefined) return
    const after = await team.owner.request('GET', L(stage))
    expect(after.body.status).toBe(attack.leaves)
  })
})

test('issue 17 is covered, and each word of the acts is used', () => {
  const attacks = ATTACKS.flatMap(([, rows]) => rows)
  expect(attacks.length).toBeGreaterThanOrEqual(25)
  const used = new Set(attacks.flatMap(({ given, attempt }) => [...given, attempt]))
  expect(Object.keys(ACTS).filter((words) => !used.has(words))).toEqual([])
})
