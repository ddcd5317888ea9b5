import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useDatabase } from './databases.testing.ts'
import { asking, feeOf, newName } from './drafts.testing.ts'
import { startTeam, type Team } from './engines.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'
import { made, refusal } from './team.testing.ts'

const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
let owner: Client
beforeAll(async () => {
  platform = await startPlatform(database())
  team = await startTeam(platform)
  ;({ owner } = team)
})
afterAll(() => platform.stop())

const make = (owned: string, name: string, body: object) =>
  owner.request('POST', `${owned}/sub-rules`, { name, ...body })

/** A sub-rule that passes its amount on to another one. */
const passing = (refName: string) =>
  feeOf('1', {
    graph: {
      startStepId: 'ask',
      steps: [
        {
          id: 'ask',
          type: 'sub_rule',
          refName,
          bindings: [{ field: 'amount', expr: 'amount' }],
          outputs: [{ parentVar: 'fee', childVar: 'fee' }],
          nextStepId: 'done',
        },
        { id: 'done', type: 'terminal', code: 'DONE' },
      ],
    },
  })

test('a sub-rule is created, replaced by its number, and deleted when nothing uses it', async () => {
  const name = newName()
  const first = await make(team.P, name, feeOf('2'))
  expect([first.status, first.headers.get('location')]).toEqual([201, `${team.P}/sub-rules/${name}`])
  expect(first.body).toMatchObject({ name, ...feeOf('2'), seq: 1, rev: 1, used_by: [] })
  const at = `${team.P}/sub-rules/${name}`
  expect(await refusal(make(team.P, name, feeOf('3')))).toEqual([409, 'stale'])
  const stale = await owner.request('PUT', at, { ...feeOf('3'), expected_seq: 2 })
  expect([stale.status, stale.body.current]).toEqual([409, first.body])
  expect((await owner.request('PUT', at, feeOf('3'))).status).toBe(400)
  const second = await owner.request('PUT', at, { ...feeOf('3', { version: '1.1.0' }), name, expected_seq: 1 })
  expect([second.status, second.body.seq, second.body.version]).toEqual([200, 2, '1.1.0'])
  const user = newName()
  await owner.request('POST', `${team.P}/rulesets/${user}`, { ruleset: asking(user, name), expected_seq: 0 })
  const outer = newName()
  await make(team.P, outer, passing(name))
  const { body } = await owner.request('GET', at)
  expect(body.used_by).toEqual([
    { kind: 'ruleset', name: user },
    { kind: 'sub_rule', name: outer },
  ])
  expect((await owner.request('GET', `${team.P}/sub-rules?q=${name}`)).body.items).toEqual([body])
  expect((await owner.request('DELETE', at)).status).toBe(400)
  expect(await refusal(owner.request('DELETE', `${at}?expected_seq=2`))).toEqual([409, 'in_use'])
  await owner.request('DELETE', `${team.P}/rulesets/${user}?expected_seq=1`)
  await owner.request('DELETE', `${team.P}/sub-rules/${outer}?expected_seq=1`)
  expect(await refusal(owner.request('DELETE', `${at}?expected_seq=1`))).toEqual([409, 'stale'])
  expect((await owner.request('DELETE', `${at}?expected_seq=2`)).status).toBe(204)
  expect((await owner.request('GET', at)).status).toBe(404)
})

test.each(['project', 'organization'])(
  'the versions of a sub-rule of the %s are listed, read and compared',
  async (of) => {
    const name = newName()
    const owned = of === 'project' ? team.P : team.O
    const at = `${owned}/sub-rules/${name}`
    const contents = [
      feeOf('2'),
      feeOf('3', { version: '1.1.0' }),
      feeOf('3', { version: '2.0.0', bindings: [{ name: 'amount', type: 'integer', required: false }] }),
    ]
    await made(make(owned, name, contents[0] as object))
    for (const [index, content] of contents.slice(1).entries())
      expect((await owner.request('PUT', at, { ...content, expected_seq: index + 1 })).status).toBe(200)
    const get = async (path: string) => (await owner.request('GET', at + path)).body
    const first = await get('/versions?limit=2')
    expect(first.items).toMatchObject([
      { seq: 3, version: '2.0.0' },
      { seq: 2, version: '1.1.0' },
    ])
    const { created_by: author } = await get('')
    expect(first.items.map(({ by }: { by: string }) => by)).toEqual([author, author])
    const rest = await get(`/versions?limit=2&cursor=${first.next_cursor}`)
    expect([rest.items.length, rest.items[0].seq, rest.next_cursor]).toEqual([1, 1, null])
    for (const [index, content] of contents.entries())
      expect(await get(`/versions/${index + 1}`)).toMatchObject({ name, seq: index + 1, ...content })
    expect(await get('/diff?from=1&to=2')).toEqual({
      config: [{ path: '/config/version', before: '1.0.0', after: '1.1.0' }],
      steps_added: [],
      steps_removed: [],
      steps_changed: [{ id: 'set', path: '/assignments', before: [expect.anything()], after: [expect.anything()] }],
    })
    expect(await get('/diff')).toMatchObject({
      config: [
        { path: '/config/version', before: '1.1.0', after: '2.0.0' },
        { path: '/bindings/amount/type', before: 'number', after: 'integer' },
        { path: '/bindings/amount/required', before: true, after: false },
      ],
      steps_changed: [],
    })
    // An earlier save is saved again unchanged.
    const { seq: _seq, at: _at, by: _by, name: _name, ...old } = await get('/versions/1')
    const restored = await owner.request('PUT', at, { ...old, expected_seq: 3 })
    expect([restored.status, restored.body]).toMatchObject([200, { seq: 4, ...contents[0] }])
  },
)

test('invalid content is refused at its place', async () => {
  const fault = async (body: object) => {
    const answer = await make(team.P, newName(), body)
    return [answer.status, answer.body.details[0].path, answer.body.details[0].code]
  }
  const reading = feeOf('other')
  expect(await fault(reading)).toEqual([400, '/graph/steps/0/assignments/0/value', 'undeclared-field'])
  expect(await fault(passing('none'))).toEqual([400, '/graph/steps/0/refName', 'unknown-sub-rule'])
  expect(await fault(feeOf('2', { version: 'x' }))).toEqual([400, '/version', 'bad-version'])
  const twice = [
    { name: 'amount', type: 'number' },
    { name: 'amount', type: 'number' },
  ]
  expect(await fault(feeOf('2', { bindings: twice }))).toEqual([400, '/bindings/1/name', 'repeated-name'])
  const unset = [{ name: 'nothing', type: 'number' }]
  expect(await fault(feeOf('2', { outputs: unset }))).toEqual([400, '/outputs/0/name', 'unset-output'])
  const typed = [{ name: 'fee', type: 'money' }]
  expect(await fault(feeOf('2', { outputs: typed }))).toEqual([400, '/outputs/0/type', 'unknown-type'])
  const text = [{ name: 'fee', type: 'string' }]
  expect(await fault(feeOf('2', { outputs: text }))).toEqual([400, '/graph/steps/0/assignments/0/value', 'output-type'])
})

test('a cycle is refused, and so are more than ten levels, also from below', async () => {
  const prefix = newName()
  const name = (level: number) => `${prefix}-${level}`
  await made(make(team.P, name(1), feeOf('2')))
  for (let level = 2; level <= 10; level++) await made(make(team.P, name(level), passing(name(level - 1))))
  expect(await refusal(make(team.P, name(11), passing(name(10))))).toEqual([400, 'too-deep'])
  const replace = (level: number, refName: string) =>
    owner.request('PUT', `${team.P}/sub-rules/${name(level)}`, { ...passing(refName), expected_seq: 1 })
  expect(await refusal(replace(1, name(3)))).toEqual([400, 'cycle'])
  expect(await refusal(replace(1, name(1)))).toEqual([400, 'cycle'])
  const lower = newName()
  await made(make(team.P, lower, feeOf('2')))
  expect(await refusal(replace(1, lower))).toEqual([400, 'too-deep'])
  const user = newName()
  const ruleset = asking(user, name(10))
  expect((await owner.request('POST', `${team.P}/rulesets/${user}/validate`, { ruleset })).body.problems).toEqual([])
})

describe('those of the organization', () => {
  test('serve all projects, whose own win', async () => {
    const name = newName()
    await made(make(team.O, name, feeOf('2')))
    const ruleset = asking('user', name)
    const converted = async (P: string) => (await owner.request('POST', `${P}/rulesets/user/convert`, { ruleset })).text
    const other = `${team.O}/projects/${(await made(owner.request('POST', `${team.O}/projects`, { name }))).id}`
    expect(await converted(team.P)).toContain('* 2')
    expect(await converted(other)).toContain('* 2')
    await made(make(team.P, name, feeOf('5')))
    expect(await converted(team.P)).toContain('* 5')
    expect(await converted(other)).toContain('* 2')
    for (const P of [team.P, other])
      await owner.request('POST', `${P}/rulesets/user`, { ruleset: asking('user', name), expected_seq: 0 })
    const users = async (owned: string) => (await owner.request('GET', `${owned}/sub-rules/${name}`)).body.used_by
    expect(await users(team.P)).toEqual([{ kind: 'ruleset', name: 'user' }])
    expect(await users(team.O)).toEqual([{ kind: 'ruleset', name: 'user' }])
    await owner.request('DELETE', `${other}/rulesets/user?expected_seq=1`)
    expect(await users(team.O)).toEqual([])
    const key = await made(
      owner.request('POST', `${team.O}/api-keys`, {
        name,
        scopes: ['project.read', 'ruleset.edit'],
        project_ids: [team.project],
      }),
    )
    const limited = platform.program(key.token)
    const change = { ...feeOf('7'), expected_seq: 1 }
    expect(await refusal(limited.request('PUT', `${team.O}/sub-rules/${name}`, change))).toEqual([403, 'ruleset.edit'])
    expect((await limited.request('PUT', `${team.P}/sub-rules/${name}`, change)).status).toBe(200)
  })

  test('a step that binds a value of another type has a problem there', async () => {
    const name = newName()
    await made(make(team.O, name, feeOf('2')))
    const found = async (expr: string) => {
      const ruleset = asking('user', name, [{ field: 'amount', expr }])
      const { body } = await owner.request('POST', `${team.P}/rulesets/user/validate`, { ruleset })
      return body.problems.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
    }
    for (const wrong of ['"ten"', 'cart > 5', 'null'])
      expect(await found(wrong)).toEqual(['/steps/0/bindings/0/expr binding-type'])
    for (const right of ['10', 'cart', 'if cart > 5 then "a" else 1']) expect(await found(right)).toEqual([])
  })

  test('a step that uses one without a required input, or for a missing output, has problems there', async () => {
    const name = newName()
    await made(make(team.O, name, feeOf('2')))
    const ruleset = asking('user', name, [{ field: 'amout', expr: 'cart' }])
    const wrong = {
      ...ruleset,
      steps: ruleset.steps.map((step) =>
        step.id === 'ask' ? { ...step, outputs: [{ parentVar: 'fee', childVar: 'fees' }] } : step,
      ),
    }
    const { body } = await owner.request('POST', `${team.P}/rulesets/user/validate`, { ruleset: wrong })
    const found = body.problems.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
    expect(found).toEqual(
      expect.arrayContaining([
        '/steps/0/bindings missing-binding',
        '/steps/0/bindings/0/field unknown-binding',
        '/steps/0/outputs/0/childVar unknown-output',
      ]),
    )
  })
})
