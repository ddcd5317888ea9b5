import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useDatabase } from './databases.testing.ts'
import { startTeam, type Team } from './engines.testing.ts'
import { type Answered, startPlatform, type TestPlatform } from './platform.testing.ts'
import { made } from './team.testing.ts'

const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
beforeAll(async () => {
  platform = await startPlatform(database())
  team = await startTeam(platform)
})
afterAll(() => platform.stop())

const send = (method: string, path: string, body?: unknown, headers = {}): Promise<Answered> =>
  team.owner.request(method, `${team.P}/${path}`, body, headers)
const get = async (path: string) => (await send('GET', path)).body
const auditOf = async (type: string) => {
  const { body } = await team.owner.request('GET', `${team.O}/audit?object_type=${type}&limit=200`)
  return body.items as readonly { action: string; object: { name: string } }[]
}

const contract = (name: string, fields: readonly object[], more: object = {}) => ({
  name,
  version: '1.0.0',
  input: { fields },
  outputs: [{ code: 'OK', fields: [{ name: 'limit', type: 'number' }] }],
  ...more,
})

describe('facts', () => {
  test('are created, listed, replaced and deleted, with their audit', async () => {
    const { rev, id, ...fact } = await made(send('POST', 'facts', { name: 'user.age', type: 'number', tags: ['a'] }))
    expect(fact).toMatchObject({ name: 'user.age', type: 'number', description: '', tags: ['a'], used_by: [] })
    expect(Object.hasOwn(fact, 'example')).toBe(false)
    expect(rev).toBe(1)
    const found = await send('GET', 'facts/user.age')
    expect([found.body.id, found.headers.get('etag')]).toEqual([id, '"1"'])
    const changed = await send('PUT', 'facts/user.age', { type: 'object', example: { a: [1] } })
    expect(changed.body).toMatchObject({ rev: 2, tags: [], example: { a: [1] }, migrations: [] })
    expect((await get('facts?q=age')).items.map(({ name }: { name: string }) => name)).toEqual(['user.age'])
    expect((await send('DELETE', 'facts/user.age')).status).toBe(204)
    expect((await send('GET', 'facts/user.age')).status).toBe(404)
    const actions = (await auditOf('fact')).map(({ action }) => action)
    expect(actions).toEqual(['fact.deleted', 'fact.updated', 'fact.created'])
  })

  test('flag the contracts that use them when their type changes, until these are replaced', async () => {
    await made(send('POST', 'facts', { name: 'order.total', type: 'number' }))
    const document = contract('flagged', [{ name: 'order.total', type: 'number' }])
    await made(send('POST', 'contracts', document))
    await made(send('POST', 'contracts', contract('beside', [{ name: 'order.totals', type: 'number' }])))
    expect((await get('facts/order.total')).used_by).toEqual([{ kind: 'contract', name: 'flagged' }])
    const described = await send('PUT', 'facts/order.total', { type: 'number', description: 'in cents' })
    expect(described.body.migrations).toEqual([])
    const { body } = await send('PUT', 'facts/order.total', { type: 'string' })
    expect(body.migrations).toEqual([{ contract: 'flagged', field: 'order.total' }])
    const reason = 'the type of the fact was changed from `number` to `string`'
    expect(await get('contracts/flagged')).toMatchObject({
      rev: 2,
      needs_migration: true,
      migrations: [{ field: 'order.total', reason }],
    })
    expect(await get('contracts/beside')).toMatchObject({ rev: 1, needs_migration: false, migrations: [] })
    const replaced = await send('PUT', 'contracts/flagged', document)
    expect(replaced.body).toMatchObject({ needs_migration: false, migrations: [], breaking: false })
  })
})

describe('the flags of a contract', () => {
  const flagsOf = async (name: string) => {
    const { rev, needs_migration: isFlagged, migrations } = await get(`contracts/${name}`)
    return [rev, isFlagged, migrations.map(({ reason }: { readonly reason: string }) => reason)]
  }
  const retype = (type: string) => send('PUT', 'facts/flag', { type })
  const changed = (from: string, to: string) => `the type of the fact was changed from \`${from}\` to \`${to}\``

  test('disappear when the fact gets its earlier type back, in whatever way, and return with another one', async () => {
    await made(send('POST', 'facts', { name: 'flag', type: 'string' }))
    await made(send('POST', 'contracts', contract('back', [{ name: 'flag', type: 'string' }])))
    await retype('number')
    expect(await flagsOf('back')).toEqual([2, true, [changed('string', 'number')]])
    expect((await retype('boolean')).body.migrations).toEqual([{ contract: 'back', field: 'flag' }])
    expect(await flagsOf('back')).toEqual([3, true, [changed('string', 'boolean')]])
    expect((await retype('string')).body.migrations).toEqual([])
    expect(await flagsOf('back')).toEqual([4, false, []])
    await retype('number')
    expect((await send('DELETE', 'facts/flag')).status).toBe(204)
    expect(await flagsOf('back')).toEqual([6, false, []])
    await made(send('POST', 'facts', { name: 'flag', type: 'boolean' }))
    expect(await flagsOf('back')).toEqual([7, true, [changed('string', 'boolean')]])
    await send('DELETE', 'facts/flag')
    await made(send('POST', 'facts', { name: 'flag', type: 'string' }))
    expect(await flagsOf('back')).toEqual([8, false, []])
  })

  test('appear where a fact is deleted and recreated with another type', async () => {
    await made(send('POST', 'facts', { name: 'again', type: 'string' }))
    await made(send('POST', 'contracts', contract('anew', [{ name: 'again', type: 'string' }])))
    await send('DELETE', 'facts/again')
    expect(await flagsOf('anew')).toEqual([1, false, []])
    await made(send('POST', 'facts', { name: 'again', type: 'number' }))
    expect(await flagsOf('anew')).toEqual([2, true, [changed('string', 'number')]])
  })

  test('of a concept disappear when its fields are as before, and those of a fact remain', async () => {
    const of = (type: string) => ({ fields: [{ name: 'size', type }] })
    await made(send('POST', 'concepts', { name: 'part', ...of('number') }))
    await made(send('POST', 'facts', { name: 'piece', type: 'concept:part' }))
    const fields = [{ name: 'piece', type: 'concept:part' }]
    await made(send('POST', 'contracts', contract('of_part', fields)))
    await send('PUT', 'concepts/part', of('string'))
    const reason = 'the fields of the concept `part` were changed'
    expect(await flagsOf('of_part')).toEqual([2, true, [reason]])
    await send('PUT', 'facts/piece', { type: 'object' })
    expect(await flagsOf('of_part')).toEqual([3, true, [reason, changed('concept:part', 'object')]])
    await send('PUT', 'concepts/part', of('number'))
    expect(await flagsOf('of_part')).toEqual([4, true, [changed('concept:part', 'object')]])
    const replaced = await send('PUT', 'contracts/of_part', contract('of_part', fields))
    expect(replaced.body).toMatchObject({ needs_migration: false, migrations: [] })
    for (const path of ['contracts/of_part', 'facts/piece', 'concepts/part'])
      expect((await send('DELETE', path)).status, path).toBe(204)
  })
})

describe('types of facts', () => {
  test.each([
    ['integer', 'number'],
    ['array<integer>', 'array<number>'],
    ['array<array<integer>>', 'array<array<number>>'],
    ['any', undefined],
    ['array<any>', undefined],
  ])('%s is a type of contracts only', async (type, suggestion) => {
    const refused = await send('POST', 'facts', { name: 'typed', type })
    const message = `\`${type}\` is only a type of contracts: facts can have \`string\`, \`number\`, \`boolean\`, \`array<…>\`, \`object\` and \`concept:<name>\``
    const expected = { path: '/type', code: 'fact-type', message, ...(suggestion !== undefined && { suggestion }) }
    expect([refused.status, refused.body.details]).toMatchObject([400, [expected]])
    await made(send('POST', 'contracts', contract(type.replaceAll(/\W/g, '-'), [{ name: 'a', type }])))
  })

  test('of earlier versions are kept, and imported with a warning', async () => {
    const own = await startTeam(platform)
    const files = [
      {
        path: 'project.json',
        text: JSON.stringify({
          format: 1,
          name: 'Shop',
          current_environment: 'dev',
          environments: [{ name: 'dev', order: 0, requires_release: false }],
        }),
      },
      { path: 'facts/age.json', text: '{"name": "age", "type": "integer", "description": "in years"}' },
    ]
    const imported = await own.owner.request('POST', `${own.P}/import`, { files })
    expect([imported.status, imported.body.created, imported.body.problems]).toMatchObject([
      200,
      ['facts/age.json'],
      [{ file: 'facts/age.json', path: '/type', code: 'fact-type', severity: 'warning', suggestion: 'number' }],
    ])
    const at = `${own.P}/facts/age`
    expect((await own.owner.request('GET', at)).body).toMatchObject({ type: 'integer' })
    const described = await own.owner.request('PUT', at, { type: 'integer', description: 'full years' })
    expect([described.status, described.body.description]).toEqual([200, 'full years'])
    expect((await own.owner.request('PUT', at, { type: 'any' })).status).toBe(400)
    expect((await own.owner.request('PUT', at, { type: 'number' })).status).toBe(200)
    expect((await own.owner.request('PUT', at, { type: 'integer' })).status).toBe(400)
  })
})

test('a fact of a concept is used by the fields below its path, and flags them', async () => {
  await made(send('POST', 'concepts', { name: 'cart', fields: [{ name: 'total', type: 'number' }] }))
  await made(send('POST', 'facts', { name: 'cart', type: 'concept:cart' }))
  const fields = ['cart.total', 'cart.owner.name', 'carts.total'].map((name) => ({ name, type: 'number' }))
  await made(send('POST', 'contracts', contract('below', fields)))
  expect((await get('facts/cart')).used_by).toEqual([{ kind: 'contract', name: 'below' }])
  const { body } = await send('PUT', 'facts/cart', { type: 'object' })
  expect(body.migrations).toEqual([
    { contract: 'below', field: 'cart.total' },
    { contract: 'below', field: 'cart.owner.name' },
  ])
  for (const path of ['contracts/below', 'facts/cart', 'concepts/cart'])
    expect((await send('DELETE', path)).status, path).toBe(204)
})

describe('concepts', () => {
  test('may refer to themselves and to others, and cannot be deleted while something refers to them', async () => {
    await made(send('POST', 'concepts', { name: 'point', fields: [{ name: 'lat', type: 'number' }] }))
    const fields = [
      { name: 'geo', type: 'concept:point' },
      { name: 'near', type: 'array<concept:address>' },
    ]
    const address = await made(send('POST', 'concepts', { name: 'address', fields }))
    expect(address).toMatchObject({ fields, used_by: [] })
    await made(send('POST', 'facts', { name: 'home', type: 'concept:address' }))
    await made(send('POST', 'contracts', contract('moving', [{ name: 'to', type: 'array<concept:address>' }])))
    expect((await get('concepts/address')).used_by).toEqual([
      { kind: 'contract', name: 'moving' },
      { kind: 'fact', name: 'home' },
    ])
    const users = (await get('concepts')).items.map(({ used_by }: { used_by: unknown[] }) => used_by.length)
    expect(users).toEqual([2, 1])
    const refused = await send('DELETE', 'concepts/point')
    expect([refused.status, refused.body.details[0].code]).toEqual([409, 'in_use'])
    expect(refused.body.current.used_by).toEqual([{ kind: 'concept', name: 'address' }])
    // A change far below flags the contract that reaches it.
    const { body } = await send('PUT', 'concepts/point', { fields: [{ name: 'lat', type: 'string' }] })
    expect(body.migrations).toEqual([{ contract: 'moving', field: 'to' }])
    for (const path of ['contracts/moving', 'facts/home', 'concepts/address', 'concepts/point'])
      expect((await send('DELETE', path)).status, path).toBe(204)
  })
})

test('an example that no longer fits its concept is removed, with an audit', async () => {
  await made(send('POST', 'concepts', { name: 'size', fields: [{ name: 'width', type: 'number' }] }))
  const nested = { name: 'box', fields: [{ name: 'size', type: 'concept:size' }] }
  await made(send('POST', 'concepts', nested))
  await made(send('POST', 'facts', { name: 'outer', type: 'array<concept:box>', example: [{ size: { width: 1 } }] }))
  await made(send('POST', 'facts', { name: 'empty', type: 'concept:box', example: {} }))
  expect((await send('PUT', 'concepts/size', { fields: [{ name: 'width', type: 'string' }] })).status).toBe(200)
  expect(Object.hasOwn(await get('facts/outer'), 'example')).toBe(false)
  expect(await get('facts/empty')).toMatchObject({ rev: 1, example: {} })
  expect((await auditOf('fact'))[0]).toMatchObject({ action: 'fact.updated', object: { name: 'outer' } })
  for (const path of ['facts/outer', 'facts/empty', 'concepts/box', 'concepts/size'])
    expect((await send('DELETE', path)).status, path).toBe(204)
})

describe('contracts', () => {
  const age = { name: 'age', type: 'integer', required: true, minimum: 0, description: 'in years' }

  test('keep their source, at both paths', async () => {
    const document = contract('loan', [age, { name: 'tier', type: 'string', enum: ['a', 'b'], default: 'a' }], {
      description: 'of the bank',
    })
    const shown = await made(send('POST', 'contracts', document))
    expect(shown).toMatchObject({ ...document, needs_migration: false, migrations: [] })
    const short = await team.owner.request('GET', `/api/v1/projects/${team.project}/contracts/loan`)
    expect(short.body).toEqual(shown)
  })

  test('take the version that a change needs', async () => {
    const put = (version: string, fields: readonly object[], headers = {}) =>
      send('PUT', 'contracts/semver', { ...contract('semver', fields), version }, headers)
    const stored = await made(send('POST', 'contracts', contract('semver', [age])))
    const vip = { name: 'vip', type: 'boolean' }
    const low = await put('1.0.0', [age, vip])
    expect([low.status, low.body.details[0]]).toMatchObject([
      400,
      { path: '/version', code: 'version-too-low', message: 'must be higher than `1.0.0`, such as `1.1.0`' },
    ])
    const refused = await put('1.1.0', [vip])
    const message = 'the change breaks callers of version `1.0.0`: give it at least `2.0.0`'
    expect([refused.status, refused.body.details]).toEqual([
      409,
      [
        { path: '/version', code: 'breaking_change', message },
        { path: '/input/fields/0', message: 'the field `age` was removed' },
      ],
    ])
    expect(await get('contracts/semver')).toEqual(stored)
    // Specification 9.3: a patch step is enough for a new optional field.
    expect((await put('1.0.1', [age, vip])).body).toMatchObject({
      version: '1.0.1',
      rev: 2,
      breaking: false,
      breaks: [],
    })
    const broken = await put('2.0.0', [vip], { 'if-match': '"2"' })
    expect(broken.body).toMatchObject({ breaking: true, breaks: [{ path: '/input/fields/0' }] })
    expect((await put('2.0.1', [vip], { 'if-match': '"2"' })).status).toBe(409)
  })

  test('of two simultaneous replacements one is checked against the other', async () => {
    await made(send('POST', 'contracts', contract('raced', [age])))
    const put = (field: string) =>
      send('PUT', 'contracts/raced', {
        ...contract('raced', [age, { name: field, type: 'any' }]),
        version: '1.1.0',
      })
    const answers = await Promise.all([put('a'), put('b')])
    // The second one removes the field that the first one has added, in the same version.
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 400])
  })
})

test('defaults and values of any size are refused where they do not fit, and count in executions', async () => {
  const big = '12345678901234567890'
  const post = (field: string) =>
    send(
      'POST',
      'contracts',
      `{"name":"big","version":"1.0.0","input":{"fields":[{"name":"a",${field}}]},"outputs":[]}`,
    )
  for (const [field, path] of [
    [`"type":"string","default":${big}`, '/input/fields/0/default'],
    [`"type":"boolean","enum":[${big}]`, '/input/fields/0/enum/0'],
  ] as const) {
    const { status, body } = await post(field)
    expect([status, body.details[0].path]).toEqual([400, path])
    expect(body.error).toContain(big)
  }
  await made(post(`"type":"integer","enum":[${big},7],"default":7`))
  const ruleset = {
    config: { name: 'big' },
    startStepId: 'e',
    steps: [{ id: 'e', type: 'terminal', code: 'OK', output: [{ name: 'a', value: 'a' }] }],
  }
  const draft = { ...ruleset, steps: ruleset.steps.map((step) => ({ ...step, code: 'NONE' })) }
  expect((await send('POST', 'rulesets/big', { ruleset: draft, expected_seq: 0 })).body.details[0].code).toBe(
    'undeclared-code',
  )
  const outputs = [{ code: 'OK', fields: [{ name: 'a', type: 'integer' }] }]
  const whole = { version: '1.1.0', input: { fields: [{ name: 'a', type: 'integer', default: 7 }] }, outputs }
  expect((await send('PUT', 'contracts/big', whole)).status).toBe(200)
  expect((await send('POST', 'rulesets/big/trace', { ruleset, input: {} })).body.output).toEqual({ a: 7 })
  const { body: converted } = await send('POST', 'rulesets/big/convert', { ruleset })
  expect(converted.ruleset.config).toMatchObject({ field_missing: 'default', defaults: { a: 7 } })
})

describe('documents of contracts', () => {
  const age = { name: 'age', type: 'integer', required: true }

  test('are JSON Schema, OpenAPI and TypeScript, with the concepts that they reach', async () => {
    await made(send('POST', 'concepts', { name: 'place', fields: [{ name: 'city', type: 'string' }] }))
    await made(send('POST', 'contracts', contract('shown', [age, { name: 'home', type: 'concept:place' }])))
    const schema = await get('contracts/shown/schema')
    expect([schema.required, Object.keys(schema.$defs)]).toEqual([['age'], ['decision', 'concept.place']])
    const openapi = await get('contracts/shown/openapi')
    expect([openapi.openapi, Object.keys(openapi.paths)]).toEqual(['3.1.0', ['/api/v1/execute/shown']])
    const types = await send('GET', 'contracts/shown/types')
    expect(types.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(types.text).toContain('readonly home?: Place | null')
  })

  test('report the breaks of a change without applying it', async () => {
    const stored = await made(send('POST', 'contracts', contract('asked', [age])))
    const { status, body } = await send('POST', 'contracts/asked/check', contract('asked', []))
    expect([status, body]).toEqual([
      200,
      { breaking: true, bump: 'major', breaks: [{ path: '/input/fields/0', message: 'the field `age` was removed' }] },
    ])
    expect(await get('contracts/asked')).toEqual(stored)
  })

  test('are derived from a ruleset, which satisfies them', async () => {
    const ruleset = {
      config: { name: 'adult' },
      startStepId: 'd',
      steps: [
        {
          id: 'd',
          type: 'decision',
          branches: [{ id: 'b', condition: 'age >= 18', nextStepId: 'yes' }],
          defaultNextStepId: 'no',
        },
        { id: 'yes', type: 'terminal', code: 'ADULT' },
        { id: 'no', type: 'terminal', code: 'MINOR' },
      ],
    }
    await made(send('POST', 'rulesets/adult', { ruleset, expected_seq: 0 }))
    const derived = await send('POST', 'contracts/derive', { ruleset: 'adult', inputs: [{ age: 3 }] })
    expect(derived.body.input.fields).toEqual([{ name: 'age', type: 'number', required: true }])
    expect(derived.body.outputs.map(({ code }: { code: string }) => code)).toEqual(['ADULT', 'MINOR'])
    await made(send('POST', 'contracts', derived.body))
    // The ruleset is checked against it after this.
    const wrong = { ...ruleset, steps: ruleset.steps.with(1, { id: 'yes', type: 'terminal', code: 'ADULTT' }) }
    const refused = await send('POST', 'rulesets/adult', { ruleset: wrong, expected_seq: 1 })
    expect([refused.status, refused.body.details[0].code]).toEqual([400, 'undeclared-code'])
    const missing = await send('POST', 'contracts/derive', { ruleset: 'none' })
    expect([missing.status, missing.body.details[0].path]).toEqual([400, '/ruleset'])
  })
})
