import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useDatabase } from './databases.testing.ts'
import { asking, feeOf, grading, newName } from './drafts.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'
import { makeLive, newScene, type Scene } from './releases.testing.ts'
import { made, type TestPerson } from './team.testing.ts'

const database = useDatabase('postgres')
let platform: TestPlatform
let scene: Scene
let ann: TestPerson
let bob: TestPerson
let creator: TestPerson
beforeAll(async () => {
  platform = await startPlatform(database(), ['--rate-limit', '0'])
  scene = await newScene(platform)
  ann = await scene.team.join(['admin'])
  bob = await scene.team.join(['admin'])
  creator = await scene.team.join(['admin'])
})
afterAll(() => platform.stop())

const contract = (name: string, field: string) => ({
  name,
  version: '1.0.0',
  input: { fields: [{ name: field, type: 'number' }] },
  outputs: [
    { code: 'GRANTED', fields: [{ name: 'limit', type: 'number' }] },
    { code: 'REFUSED', fields: [] },
  ],
})

/** A key that acts for a person. */
async function keyOf(by: Client): Promise<Client> {
  const scopes = ['ruleset.edit', 'contract.edit', 'project.read', 'token.manage']
  return platform.program(
    (await made(by.request('POST', `${scene.team.path}/api-keys`, { name: newName(), scopes }))).token,
  )
}

/** A live ruleset by Ann with a sub-rule, a contract and a case. */
async function liveRuleset() {
  const [name, rule] = [newName(), newName()]
  await made(ann.request('POST', `${scene.P}/sub-rules`, { name: rule, ...feeOf('2') }))
  await made(ann.request('POST', `${scene.P}/contracts`, contract(`${name}-c`, 'points')))
  await made(ann.request('POST', `${scene.P}/rulesets/${name}`, { ruleset: drafted(name, rule, 1), expected_seq: 0 }))
  await made(
    ann.request('POST', `${scene.P}/rulesets/${name}/tests`, {
      name: 'one',
      input: { points: 1 },
      expect: { code: 'DONE' },
    }),
  )
  const release = await scene.release(creator, name, 1)
  expect(release.authors).toEqual([ann.userId])
  await makeLive(database(), scene.team.id, release.id)
  return { name, rule }
}

const drafted = (name: string, rule: string, factor: number) =>
  asking(name, rule, [{ field: 'amount', expr: `points * ${factor}` }])

describe('authors of a release are those who edited since the last one', () => {
  const save = (by: Client, { name, rule }: { name: string; rule: string }, factor: number, seq: number) =>
    by.request('POST', `${scene.P}/rulesets/${name}`, { ruleset: drafted(name, rule, factor), expected_seq: seq })
  const editRule = async (by: Client, { rule }: { rule: string }, factor: string) => {
    const { body } = await by.request('GET', `${scene.P}/sub-rules/${rule}`)
    return by.request('PUT', `${scene.P}/sub-rules/${rule}`, { ...feeOf(factor), expected_seq: body.seq })
  }
  const editCase = (by: Client, { name }: { name: string }) =>
    by.request('POST', `${scene.P}/rulesets/${name}/tests`, {
      name: newName(),
      input: { points: 2 },
      expect: { code: 'DONE' },
    })

  type Live = Awaited<ReturnType<typeof liveRuleset>>
  test.each<[string, (live: Live) => Promise<unknown>, () => readonly string[]]>([
    ['of the ruleset', (live) => save(bob, live, 2, 1), () => [bob.userId]],
    ['of the ruleset, by a key', async (live) => save(await keyOf(bob), live, 2, 1), () => [bob.userId]],
    [
      'of the ruleset, by a key that a key has made',
      async (live) => {
        const first = await keyOf(bob)
        return save(await keyOf(first), live, 2, 1)
      },
      () => [bob.userId],
    ],
    ['of a sub-rule', (live) => editRule(bob, live, '3'), () => [bob.userId]],
    ['of a sub-rule, by a key', async (live) => editRule(await keyOf(bob), live, '3'), () => [bob.userId]],
    ['of a case', (live) => editCase(bob, live), () => [bob.userId]],
    ['of a case, by a key', async (live) => editCase(await keyOf(bob), live), () => [bob.userId]],
    [
      'of the ruleset and of a sub-rule, by two',
      async (live) => {
        await save(ann, live, 2, 1)
        return editRule(bob, live, '3')
      },
      () => [ann.userId, bob.userId].toSorted(),
    ],
    [
      'of a draft that was deleted and made again',
      async (live) => {
        await bob.request('DELETE', `${scene.P}/rulesets/${live.name}?expected_seq=1`)
        return bob.request('POST', `${scene.P}/rulesets/${live.name}`, {
          ruleset: drafted(live.name, live.rule, 5),
          expected_seq: 0,
        })
      },
      () => [bob.userId],
    ],
  ])('%s', async (_, edit, authors) => {
    const live = await liveRuleset()
    const answer = (await edit(live)) as { status: number; text: string }
    expect(answer.status, answer.text).toBeLessThan(300)
    const { body } = await ann.request('GET', `${scene.P}/rulesets/${live.name}`)
    const release = await scene.release(creator, live.name, body.seq)
    expect(release.authors).toEqual(authors())
  })

  test('of a contract', async () => {
    const name = newName()
    await made(ann.request('POST', `${scene.P}/contracts`, contract(name, 'points')))
    await scene.save(ann, name)
    const first = await scene.release(creator, name, 1)
    expect(first.authors).toEqual([ann.userId])
    await makeLive(database(), scene.team.id, first.id)
    const changed = { ...contract(name, 'points'), version: '1.1.0' }
    const edited = await bob.request('PUT', `${scene.P}/contracts/${name}`, changed)
    expect(edited.status, edited.text).toBeLessThan(300)
    const second = await scene.release(creator, name, 1)
    expect(second.authors).toEqual([bob.userId])
    expect(second.content_digest).not.toBe(first.content_digest)
  })

  test('or who chose an earlier save', async () => {
    const name = newName()
    await scene.save(ann, name, 10)
    await scene.save(bob, name, 20)
    await makeLive(database(), scene.team.id, (await scene.release(creator, name, 2)).id)
    expect((await scene.release(creator, name, 1)).authors).toEqual([creator.userId])
  })

  test('where they are excluded, neither of two may approve', async () => {
    const policy = await scene.policy({ approvers: { min_count: 1, exclude_authors: true } })
    const name = newName()
    await scene.save(ann, name, 10)
    await scene.save(bob, name, 20)
    const release = await scene.release(creator, name, 2)
    expect(release.authors).toEqual([ann.userId, bob.userId].toSorted())
    const approve = (by: Client, digest = release.content_digest) =>
      by.request('POST', `${scene.P}/releases/${release.id}/approve`, { comment: '', content_digest: digest })
    for (const author of [ann, bob]) expect((await approve(author)).status).toBe(403)
    const other = await approve(creator, '0'.repeat(64))
    expect([other.status, other.body.details[0].code]).toEqual([409, 'stale'])
    expect((await approve(creator)).body.status).toBe('approved')
    await scene.owner.request('DELETE', `${scene.P}/release-policies/${policy.id}`)
  })
})

test('grading by another save is another content', async () => {
  const name = newName()
  await made(ann.request('POST', `${scene.P}/rulesets/${name}`, { ruleset: grading(name, 1), expected_seq: 0 }))
  await scene.save(ann, name, 2)
  const digests = await Promise.all([1, 2].map(async (seq) => (await scene.release(ann, name, seq)).content_digest))
  expect(digests[0]).not.toBe(digests[1])
})
