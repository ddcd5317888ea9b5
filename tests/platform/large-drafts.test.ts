import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDatabase } from './databases.testing.ts'
import { asking, feeOf, grading, newName } from './drafts.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'
import { made, newTeam, type Team } from './team.testing.ts'

/**
 * Documents too large for the event loop get the answers of small ones: each request is sent twice, once with a member that
 * makes it large, and both answers are compared.
 */
const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
let P: string
beforeAll(async () => {
  // A busy machine takes long for the largest drafts.
  platform = await startPlatform(database(), ['--request-timeout-secs', '170'])
  team = await newTeam(platform)
  P = `${team.path}/projects/${(await made(team.owner.request('POST', `${team.path}/projects`, { name: 'Shop' }))).id}`
  await made(team.owner.request('POST', `${P}/sub-rules`, { name: 'fee', ...feeOf('2') }))
  const contract = { name: 'held', version: '1.0.0', input: { fields: [{ name: 'points', type: 'string' }] } }
  await made(team.owner.request('POST', `${P}/contracts`, { ...contract, outputs: [{ code: 'GRANTED', fields: [] }] }))
})
afterAll(() => platform.stop())

/** A member without a meaning, which is kept. */
const ballast = 'x'.repeat(200_000)
const large = <Ruleset extends object>(ruleset: Ruleset) => ({ ...ruleset, ballast })
const post = (path: string, body: unknown) => team.owner.request('POST', P + path, body)

const both = async (path: string, bodyOf: (ruleset: (one: object) => object) => unknown) => {
  const [few, many] = [
    await post(
      path,
      bodyOf((one) => one),
    ),
    await post(path, bodyOf(large)),
  ]
  return { few, many }
}

const broken = {
  ...grading('rule'),
  steps: [{ id: 'a', type: 'terminal', code: 'A', output: [{ name: 'x', value: '1 +' }] }],
}

test.each([
  ['a good ruleset', grading('rule')],
  ['one with an invalid expression', broken],
  ['one that uses a sub-rule', asking('rule', 'fee')],
  ['one that uses a sub-rule without its input', asking('rule', 'fee', [])],
  ['one that uses an unknown sub-rule', asking('rule', 'none')],
  ['one with a contract that is unknown', grading('rule', 10, { contract: 'none' })],
  ['one that its contract refuses', grading('rule', 10, { contract: 'held' })],
])('validates and converts %s', async (_title, ruleset) => {
  for (const path of ['/rulesets/rule/validate', '/rulesets/rule/convert']) {
    const { few, many } = await both(path, (sent) => ({ ruleset: sent(ruleset) }))
    expect([many.status, many.body.problems, many.body.details]).toEqual([
      few.status,
      few.body.problems,
      few.body.details,
    ])
    expect(many.body.ruleset?.steps).toEqual(few.body.ruleset?.steps)
  }
})

test('converts from the format of engines', async () => {
  const { body } = await post('/rulesets/rule/convert', { ruleset: grading('rule') })
  const { few, many } = await both('/rulesets/rule/convert?to=editor', (sent) => ({ ruleset: sent(body.ruleset) }))
  expect([few.status, many.status]).toEqual([200, 200])
  expect(many.body.ruleset.steps).toEqual(few.body.ruleset.steps)
})

test('executes, with values next to the ruleset', async () => {
  const { few, many } = await both('/rulesets/rule/trace', (sent) => ({
    ruleset: sent(grading('rule')),
    input: { points: 12 },
  }))
  expect([few.body.code, many.body.code]).toEqual(['GRANTED', 'GRANTED'])
  expect(many.body.trace.path).toBe(few.body.trace.path)
})

test('saves as it was sent, and refuses stale numbers and undeclared codes', async () => {
  const name = newName()
  const ruleset = large(grading(name))
  expect((await post(`/rulesets/${name}`, { ruleset, expected_seq: 0 })).body).toMatchObject({ seq: 1, problems: [] })
  expect((await team.owner.request('GET', `${P}/rulesets/${name}`)).body.ruleset).toEqual(ruleset)
  const stale = await post(`/rulesets/${name}`, { ruleset, expected_seq: 0 })
  expect([stale.status, stale.body.current.seq]).toEqual([409, 1])
  const asks = large({ ...asking(name, 'fee') })
  expect((await post(`/rulesets/${name}`, { ruleset: asks, expected_seq: 1 })).body).toMatchObject({ seq: 2 })
  // The sub-rules that it uses are known, as those of a small draft.
  const used = await team.owner.request('GET', `${P}/sub-rules/fee`)
  expect(used.body.used_by).toContainEqual({ kind: 'ruleset', name })
  const { few, many } = await both(`/rulesets/${name}`, (sent) => ({
    ruleset: sent(grading(name, 1, { contract: 'held' })),
    expected_seq: 2,
  }))
  expect([few.status, many.status, many.body.details]).toEqual([400, 400, few.body.details])
  expect(many.body.details[0].path).toBe('/ruleset/steps/2/code')
})

test.each([
  ['without an object', { ruleset: [ballast], expected_seq: 0 }],
  ['in another shape', { ruleset: large({ config: { name: 'rule' }, steps: 1 }), expected_seq: 0 }],
  ['with a member that is unknown', { ruleset: large(grading('rule')), expected_seq: 0, force: true }],
  ['without its number', { ruleset: large(grading('rule')) }],
  ['with another name', { ruleset: large(grading('other')), expected_seq: 0 }],
  ['with the character NUL', { ruleset: large({ ...grading('rule'), note: 'a\0' }), expected_seq: 0 }],
])('refuses a save %s like a small one', async (_title, body) => {
  const small = JSON.parse(JSON.stringify(body).replace(ballast, ''))
  const [few, many] = [await post('/rulesets/rule', small), await post('/rulesets/rule', body)]
  const { request_id: _few, ...expected } = few.body
  const { request_id: _many, ...answered } = many.body
  expect(few.status).toBe(400)
  expect([many.status, answered]).toEqual([few.status, expected])
})

test.each([
  ['JSON that ends early', `{"ruleset":{"ballast":"${ballast}"`],
  ['a member that occurs twice', `{"ruleset":{"a":1,"a":"${ballast}"}}`],
])('refuses %s with its place', async (_title, text) => {
  const { status, body } = await post('/rulesets/rule/validate', text)
  expect([status, body.details[0].line]).toEqual([400, 1])
  expect(body.details[0].column).toBeGreaterThan(10)
})

test('at most a thousand problems are reported, errors first', async () => {
  const assignment = (index: number) => ({ name: `v${index}`, value: `${index} +` })
  const assignments = Array.from({ length: 3000 }, (_, index) => assignment(index))
  const ruleset = {
    config: { name: 'rule' },
    startStepId: 'a',
    steps: [
      { id: 'a', type: 'action', assignments, nextStepId: 'end' },
      { id: 'end', type: 'terminal', code: 'A' },
    ],
  }
  const { body } = await post('/rulesets/rule/validate', { ruleset })
  expect(body.problems).toHaveLength(1000)
  expect(new Set(body.problems.map(({ severity }: { severity: string }) => severity))).toEqual(new Set(['error']))
})

test('a large sub-rule is checked, with what it uses', async () => {
  const steps = (value: string) => [
    ...Array.from({ length: 2000 }, (_, index) => ({
      id: `s${index}`,
      type: 'action',
      assignments: [{ name: 'fee', value: `amount * ${index}` }],
      nextStepId: index === 1999 ? 'last' : `s${index + 1}`,
    })),
    { id: 'last', type: 'action', assignments: [{ name: 'fee', value }], nextStepId: 'ask' },
    { ...asking('x', 'fee').steps[0], bindings: [{ field: 'amount', expr: 'amount' }] },
    { id: 'end', type: 'terminal', code: 'DONE' },
  ]
  const body = (value: string) => ({ ...feeOf('1'), graph: { startStepId: 's0', steps: steps(value) } })
  const wrong = await post('/sub-rules', { name: 'wide', ...body('cart * 2') })
  expect([wrong.status, wrong.body.details[0].path]).toEqual([400, '/graph/steps/2000/assignments/0/value'])
  expect((await post('/sub-rules', { name: 'wide', ...body('amount') })).status).toBe(201)
})

test('a page of a list has no more items than 16 MiB of contents', async () => {
  const name = newName()
  await made(post(`/rulesets/${name}`, { ruleset: grading(name), expected_seq: 0 }))
  const text = 'x'.repeat(9_000_000)
  for (const suite of ['a', 'b', 'c']) {
    const cases = suite === 'c' ? [] : [{ name: 'long', input: { text }, expect: { code: 'A' } }]
    await made(post(`/rulesets/${name}/tests`, { name: suite, cases }))
  }
  const list = async (query: string) => {
    const { body } = await team.owner.request('GET', `${P}/rulesets/${name}/tests?${query}`)
    return { names: body.items.map((one: { name: string }) => one.name), next: body.next_cursor }
  }
  const first = await list('')
  expect([first.names, typeof first.next]).toEqual([['a'], 'string'])
  expect(await list(`cursor=${first.next}`)).toEqual({ names: ['b', 'c'], next: null })
})

test('an earlier save, what differs and a stale save are shown of large drafts', async () => {
  const name = newName()
  const save = (points: number, expected_seq: number) =>
    post(`/rulesets/${name}`, { ruleset: large(grading(name, points)), expected_seq })
  await made(save(1, 0))
  expect((await save(2, 1)).status).toBe(200)
  const get = async (path: string) => (await team.owner.request('GET', `${P}/rulesets/${name}${path}`)).body
  expect((await get('/saves/1')).ruleset).toEqual(large(grading(name, 1)))
  const { steps_changed } = await get('/diff')
  expect(steps_changed.map(({ id }: { id: string }) => id)).toEqual(['start', 'yes'])
  const stale = await save(3, 1)
  expect([stale.status, stale.body.current.ruleset]).toEqual([409, large(grading(name, 2))])
})
