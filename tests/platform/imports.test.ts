import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useDatabase } from './databases.testing.ts'
import { asking, feeOf, newName } from './drafts.testing.ts'
import { startTeam, type Team } from './engines.testing.ts'
import { type Answered, startPlatform, type TestPlatform } from './platform.testing.ts'

const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
beforeAll(async () => {
  platform = await startPlatform(database())
  team = await startTeam(platform)
})
afterAll(() => platform.stop())

const send = (path: string, body: unknown, headers = {}): Promise<Answered> =>
  team.owner.request('POST', `${team.P}/imports?${path}`, body, headers)
const get = (path: string): Promise<Answered> => team.owner.request('GET', `${team.P}/${path}`)

const edge = (sourceId: string, targetId: string) => ({
  id: `${sourceId}-${targetId}`,
  type: 'edge',
  sourceId,
  targetId,
})
const shipping = {
  nodes: [
    { id: 'in', type: 'inputNode', name: 'Request', content: {} },
    {
      id: 'fees',
      type: 'decisionTableNode',
      name: 'Shipping fees',
      content: {
        hitPolicy: 'first',
        inputs: [
          { id: 'c', name: 'Country', field: 'address.country' },
          { id: 'w', name: 'Weight', field: 'weight' },
        ],
        outputs: [{ id: 'f', name: 'Fee', field: 'fee' }],
        rules: [
          { _id: '1', c: '"DE", "FR"', w: '<= 5', f: '4' },
          { _id: '2', c: '"DE", "FR"', w: '(5..30]', f: '4 + weight / 2' },
          { _id: '3', c: '', w: '', f: '40' },
        ],
      },
    },
    { id: 'out', type: 'outputNode', name: 'Response', content: {} },
  ],
  edges: [edge('in', 'fees'), edge('fees', 'out')],
}

test('a decision is shown as a ruleset, stored when it is applied, and decides as its author meant', async () => {
  const name = newName()
  const shown = await send(`format=jdm&name=${name}`, shipping)
  expect(shown.status).toBe(200)
  expect(shown.body.rulesets.map((one: { name: string }) => one.name)).toEqual([name])
  expect(shown.body.lost.map(({ code }: { code: string }) => code)).toEqual(['decimals'])
  expect((await get(`rulesets/${name}`)).status).toBe(404)

  expect((await send(`format=jdm&name=${name}&apply=true`, shipping)).body).toEqual(shown.body)
  const { ruleset, seq, problems } = (await get(`rulesets/${name}`)).body
  expect([ruleset, seq, problems]).toEqual([shown.body.rulesets[0].ruleset, 1, []])
  const traced = async (input: object) =>
    (await team.owner.request('POST', `${team.P}/rulesets/${name}/trace`, { ruleset, input })).body
  expect(await traced({ weight: 20, address: { country: 'FR' } })).toMatchObject({
    code: 'RESULT',
    output: { fee: 14 },
  })
  expect(await traced({})).toMatchObject({ code: 'RESULT', output: { fee: 40 } })
})

test('the report has the verdict, the reasons by kind, and the cases of the document, which are run', async () => {
  const name = newName()
  const tests = [
    { input: { weight: 20, address: { country: 'FR' } }, output: { fee: 14 } },
    { input: {}, output: { fee: 41 } },
  ]
  const { status, body } = await send(`format=jdm&name=${name}&apply=true`, { ...shipping, tests })
  expect([status, body.report.summary]).toEqual([
    200,
    { documents: 1, ready: 0, review: 1, refused: 0, cases: 2, failed: 1 },
  ])
  expect(body.report.documents).toMatchObject([
    { verdict: 'review', rulesets: [name], cases: [{ name: 'test 1', passed: true }, { passed: false }] },
  ])
  expect(body.report.reasons).toMatchObject([{ severity: 'warning', code: 'decimals', count: 1, places: [{}] }])
  const { items } = (await get(`rulesets/${name}/tests`)).body
  expect(items).toMatchObject([{ name: 'imported', cases: [{ name: 'test 1' }, { name: 'test 2' }] }])
})

test.each([0, 1])('a document with %i tests has as many cases in its suite', async (count) => {
  const tests = Array.from({ length: count }, () => ({ input: {}, output: { fee: 40 } }))
  const name = newName()
  expect((await send(`format=jdm&name=${name}&apply=true`, { ...shipping, tests })).status).toBe(200)
  const { items } = (await get(`rulesets/${name}/tests`)).body
  expect(items).toMatchObject(count === 0 ? [] : [{ name: 'imported', cases: [{ name: 'test 1' }] }])
})

test('the schema of a document becomes the contract of its ruleset', async () => {
  const name = newName()
  const schema = JSON.stringify({ properties: { weight: { type: 'number' } }, required: ['weight'] })
  const nodes = shipping.nodes.map((node) => (node.id === 'in' ? { ...node, content: { schema } } : node))
  const sent = { ...shipping, nodes }
  expect((await send(`format=jdm&name=${name}&apply=true`, sent)).status).toBe(200)
  const { input } = (await get(`contracts/${name}`)).body
  expect(input.fields[0]).toEqual({ name: 'weight', type: 'number', required: true })
  expect((await send(`format=jdm&name=${name}&apply=true`, sent)).status).toBe(409)
  const key = { name, scopes: ['ruleset.edit'] }
  const { token } = (await team.owner.request('POST', `${team.O}/api-keys`, key)).body
  const authorization = { authorization: `Bearer ${token}` }
  const refused = await platform
    .browser()
    .request('POST', `${team.P}/imports?format=jdm&name=${name}-2&apply=true`, sent, authorization)
  expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('contract.edit')])
})

test('options of formats: the input that a result repeats, and the only decision of a model', async () => {
  const passing = structuredClone(shipping)
  Object.assign(passing.nodes[1]?.content ?? {}, { passThrough: true })
  const outputs = async (option: string) => {
    const { rulesets } = (await send(`format=jdm&name=r${option}`, passing)).body
    const [{ ruleset }] = rulesets
    return ruleset.steps.at(-1).output.map(({ name }: { name: string }) => name)
  }
  expect(await outputs('')).toContain('weight')
  expect(await outputs('&repeat_input=false')).not.toContain('weight')
  const decision = (name: string) =>
    `<decision id="${name}" name="${name}"><literalExpression><text>1</text></literalExpression></decision>`
  const model = `<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" name="m" namespace="n">${decision('a')}${decision('b')}</definitions>`
  const type = { 'content-type': 'application/xml' }
  expect((await send('format=dmn', model, type)).body.rulesets.length).toBe(2)
  expect((await send('format=dmn&decision=b&name=only', model, type)).body.rulesets).toMatchObject([{ name: 'only' }])
  expect((await send('format=dmn&decision=c', model, type)).body.details).toMatchObject([{ code: 'no-decision' }])
})

test('the description of the routes has documents that are read as they are, and says what each parameter means', async () => {
  const { body } = await platform.browser().request('GET', '/api/v1/openapi.json')
  const { post } = body.paths['/api/v1/orgs/{oid}/projects/{pid}/imports']
  const { get: exported } = body.paths['/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/export']
  for (const [type, format] of [
    ['text/csv', 'csv'],
    ['application/xml', 'dmn'],
    ['text/xml', 'dmn'],
  ] as const) {
    const read = await send(`format=${format}`, post.requestBody.content[type].example, { 'content-type': type })
    const names = read.body.rulesets.map(({ name }: { name: string }) => name)
    expect([names, read.body.report.summary.refused], type).toEqual([[format === 'csv' ? 'table' : 'fee'], 0])
  }
  const asked = [...post.parameters, ...exported.parameters].filter(
    ({ in: place }: { in: string }) => place === 'query',
  )
  expect(asked.map(({ name }: { name: string }) => name)).toEqual([
    'format',
    'apply',
    'name',
    'decision',
    'repeat_input',
    'format',
  ])
  for (const { name, description, schema } of asked) expect(description ?? schema.description, name).toMatch(/\w{3}/)
  for (const { summary, tags } of [post, exported])
    expect([summary, tags]).toEqual([expect.stringMatching(/\w/), ['Rulesets']])
})

test.each([
  ['an unknown name of a ruleset', 'format=csv&name=%20', 'name'],
  ['no format', 'name=a', 'format'],
])('%s is refused', async (_, query, parameter) => {
  const { status, text } = await send(query, 'in:a,out:b\n1,2\n', { 'content-type': 'text/csv' })
  expect([status, text.includes(parameter)]).toEqual([400, true])
})

test.each([
  ['', 'it is missing'],
  ['?format=xml', 'found `xml`'],
])('an export with the query `%s` is refused: %s', async (query, reason) => {
  await send('format=csv&name=exported&apply=true', 'in:a,out:b\n1,2\n', { 'content-type': 'text/csv' })
  const { status, text } = await get(`rulesets/exported/export${query}`)
  expect([status, text]).toEqual([400, expect.stringContaining(`one of \`engine\`, \`jdm\`, \`dmn\`: ${reason}`)])
})

test('an applied import is in the audit', async () => {
  const name = newName()
  await send(`format=jdm&name=${name}&apply=true`, shipping)
  const { items } = (await team.owner.request('GET', `${team.O}/audit?action=draft.created&limit=5`)).body
  expect(items.map(({ object }: { object: { name: string } }) => object.name)).toContain(name)
})

test('a duplicate name is refused, and nothing is stored', async () => {
  const name = newName()
  await send(`format=jdm&name=${name}&apply=true`, shipping)
  const again = await send(`format=jdm&name=${name}&apply=true`, shipping)
  expect([again.status, again.body.details[0].code]).toEqual([409, 'duplicate'])
  expect((await get(`rulesets/${name}`)).body.seq).toBe(1)
})

test('the same idempotency key gets the first answer again', async () => {
  const name = newName()
  const key = { 'idempotency-key': name }
  const first = await send(`format=jdm&name=${name}&apply=true`, shipping, key)
  const again = await send(`format=jdm&name=${name}&apply=true`, shipping, key)
  expect([again.status, again.body]).toEqual([200, first.body])
  expect((await get(`rulesets/${name}`)).body.seq).toBe(1)
})

test('losses are shown with their places, and nothing is applied', async () => {
  const rules = [
    { conditions: { all: [{ fact: 'age', operator: 'olderThan', value: 18 }] }, event: { type: 'adult' } },
    { conditions: { all: [{ fact: 'age', operator: 'lessThan', value: 18 }] }, event: { type: 'minor' } },
  ]
  const shown = await send('format=json-rules-engine&name=ages', rules)
  expect(shown.status).toBe(200)
  expect(shown.body.lost).toMatchObject([
    { path: '/0/conditions/all/0/operator', code: 'unknown-operator', severity: 'error' },
  ])
  const applied = await send('format=json-rules-engine&name=ages&apply=true', rules)
  expect([applied.status, applied.body.details[0].path]).toEqual([400, '/0/conditions/all/0/operator'])
  expect((await get('rulesets/ages')).status).toBe(404)
})

test('a table of 100,001 rows is too large', async () => {
  const rows = '1,2\n'.repeat(100_001)
  const { status } = await send('format=csv&name=long', `in:a,out:b\n${rows}`, { 'content-type': 'text/csv' })
  expect(status).toBe(413)
})

describe('a ruleset that is exported', () => {
  test('in the format of engines is the same when it is imported again', async () => {
    const name = newName()
    await send(`format=json-rules-engine&name=${name}&apply=true`, {
      conditions: { all: [] },
      event: { type: 'always' },
    })
    const { status, body } = await get(`rulesets/${name}/export?format=engine`)
    expect([status, body.lost]).toEqual([200, []])
    const again = await send(`format=engine&name=${name}-2&apply=true`, body.document)
    expect(again.status).toBe(200)
    const exported = (await get(`rulesets/${name}-2/export?format=engine`)).body.document
    expect(exported).toEqual({ ...body.document, config: { ...body.document.config, name: `${name}-2` } })
  })

  test('as a JSON Decision Model is read as a ruleset that decides the same, with the sub-rules of its project', async () => {
    const name = newName()
    const type = { 'content-type': 'text/csv; charset=utf-8' }
    await send(
      `format=csv&name=${name}&apply=true`,
      'in:age:number,out:limit,next\n>= 18,500,ADULT\n,100,MINOR\n',
      type,
    )
    const { status, body } = await get(`rulesets/${name}/export?format=jdm`)
    expect([status, body.lost]).toEqual([200, []])
    expect(body.document.nodes.map((node: { type: string }) => node.type)).toContain('decisionTableNode')
    const again = await send(`format=jdm&name=${name}-2&apply=true`, body.document)
    expect([again.status, again.body.lost]).toEqual([200, []])
    const { ruleset } = again.body.rulesets[0]
    const traced = await team.owner.request('POST', `${team.P}/rulesets/${name}-2/trace`, {
      ruleset,
      input: { age: 20 },
    })
    expect(traced.body).toMatchObject({ code: 'ADULT', output: { limit: 500 } })
  })

  test('as a JSON Decision Model has its sub-rules, and the losses where one is unknown', async () => {
    const [name, fee, other] = [newName(), newName(), newName()]
    expect((await team.owner.request('POST', `${team.P}/sub-rules`, { name: fee, ...feeOf('2') })).status).toBe(201)
    const save = (ruleset: string, used: string) =>
      team.owner.request('POST', `${team.P}/rulesets/${ruleset}`, { ruleset: asking(ruleset, used), expected_seq: 0 })
    expect([(await save(name, fee)).status, (await save(other, newName())).status]).toEqual([201, 201])
    const { status, body } = await get(`rulesets/${name}/export?format=jdm`)
    expect([status, body.lost]).toMatchObject([200, [{ path: '/steps/0', code: 'decimals', severity: 'warning' }]])
    expect(JSON.stringify(body.document.nodes)).toContain('cart * 2')
    const refusal = async (ruleset: string, format: string) => {
      const refused = await get(`rulesets/${ruleset}/export?format=${format}`)
      return [refused.status, refused.body.details[0].path, refused.body.document]
    }
    expect(await refusal(other, 'jdm')).toEqual([400, '/steps/0', undefined])
    expect(await refusal(name, 'dmn')).toEqual([400, '/steps/0', undefined])
    expect(await refusal(other, 'engine')).toEqual([400, '/steps/0/refName', undefined])
  })

  test('as a model of DMN is read as the same table', async () => {
    const name = newName()
    const csv = 'in:age:number,out:limit\n>= 18,500\n,100\n'
    const type = { 'content-type': 'text/csv; charset=utf-8' }
    expect((await send(`format=csv&name=${name}&apply=true`, csv, type)).status).toBe(200)
    const { status, body } = await get(`rulesets/${name}/export?format=dmn`)
    expect([status, body.document]).toEqual([200, expect.stringContaining('<decisionTable')])
    const again = await send(`format=dmn&name=${name}-2`, body.document, { 'content-type': 'application/xml' })
    expect(again.status).toBe(200)
  })
})
