import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { useDatabase } from './databases.testing.ts'
import { grading, newName } from './drafts.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'
import { made, newTeam, type Team } from './team.testing.ts'

const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
let project: string
let P: string
beforeAll(async () => {
  platform = await startPlatform(database())
  team = await newTeam(platform)
  project = (await made(team.owner.request('POST', `${team.path}/projects`, { name: 'Shop' }))).id
  P = `${team.path}/projects/${project}`
})
afterAll(() => platform.stop())

const WRITER = ['project.read', 'test.run', 'ruleset.edit']

async function keyWith(scopes: readonly string[], more: object = {}) {
  return made(team.owner.request('POST', `${team.path}/api-keys`, { name: newName(), scopes, ...more }))
}

/** An assistant as the official client is one. */
async function assistant(scopes: readonly string[] = WRITER, more: object = {}) {
  const key = await keyWith(scopes, more)
  const client = new Client({ name: 'test', version: '1.0.0' })
  const requestInit = { headers: { authorization: `Bearer ${key.token}` } }
  const transport = new StreamableHTTPClientTransport(new URL(`${platform.url}/api/v1/mcp`), { requestInit })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const call = async (name: string, given: object = {}, of = project) => {
    const result = await client.callTool({ name, arguments: { project_id: of, ...given } })
    const [first] = result.content as { readonly type: string; readonly text: string }[]
    return {
      isError: result.isError === true,
      value: JSON.parse(first?.text ?? ''),
      structured: result.structuredContent,
    }
  }
  return { client, key, call }
}

async function saved(points = 10): Promise<string> {
  const name = newName()
  await made(team.owner.request('POST', `${P}/rulesets/${name}`, { ruleset: grading(name, points), expected_seq: 0 }))
  return name
}

test('the client lists the tools, and none of them publishes', async () => {
  const { client } = await assistant()
  expect(client.getServerVersion()).toMatchObject({ name: 'engine-platform' })
  const { tools } = await client.listTools()
  const names = tools.map(({ name }) => name)
  expect(names).toEqual([
    'list_rulesets',
    'get_ruleset',
    'explain',
    'validate',
    'analyze',
    'run_tests',
    'propose_draft',
  ])
  for (const { inputSchema } of tools) expect(inputSchema.required).toContain('project_id')
  expect(tools.filter(({ annotations }) => annotations?.readOnlyHint === false).map(({ name }) => name)).toEqual([
    'propose_draft',
  ])
  await client.ping()
})

test('it reads rulesets, explains decisions, validates and runs tests', async () => {
  const { call } = await assistant()
  const name = await saved()
  const { value: list, structured } = await call('list_rulesets')
  expect(list.rulesets).toContainEqual({ name, version: '1.0.0', description: '', seq: 1, live: [] })
  expect(structured).toEqual(list)
  const { value: draft } = await call('get_ruleset', { name })
  expect(draft).toMatchObject({ name, seq: 1, ruleset: grading(name), problems: [], contract: null })
  const { value: explained } = await call('explain', { name, input: { points: 12 } })
  expect(explained).toEqual({
    code: 'GRANTED',
    message: '',
    output: { limit: 10 },
    explanation: [
      'Step `start`: `points >= 10` is true (points = 12).',
      'Step `yes`.',
      'The result is `GRANTED` and the output {"limit":10}.',
    ],
  })
  const { value: refused } = await call('explain', { name, input: { points: 9 } })
  expect(refused.explanation[0]).toBe('Step `start`: `points >= 10` is false (points = 9).')
  const { value: validated } = await call('validate', { ruleset: grading(name, 10, { contract: 'none' }) })
  expect(validated.problems).toMatchObject([{ code: 'unknown-contract' }])
  const cases = [
    { name: 'enough', input: { points: 10 }, expect: { code: 'GRANTED' } },
    { name: 'wrong', input: { points: 9 }, expect: { code: 'GRANTED' } },
  ]
  await made(team.owner.request('POST', `${P}/rulesets/${name}/tests`, { name: 'all', cases }))
  const { value: run } = await call('run_tests', { name })
  expect(run).toMatchObject({ total: 2, passed: 1, failures: [{ name: 'wrong', actual: { code: 'REFUSED' } }] })
})

test('it explains what an action sets, and what fails', async () => {
  const { call } = await assistant()
  const name = newName()
  const action = { id: 'set', type: 'action', assignments: [{ name: 'x', value: 'a + 1' }], nextStepId: 'ask' }
  const externalCalls = [{ type: 'function', target: 'score#get', resultVariable: 'y' }]
  const ask = { id: 'ask', type: 'action', assignments: [], externalCalls, nextStepId: 'end' }
  const ruleset = {
    config: { name, version: '1.0.0' },
    startStepId: 'set',
    steps: [action, ask, { id: 'end', type: 'terminal', code: 'DONE', message: "'all'" }],
  }
  await call('propose_draft', { ruleset, expected_seq: 0 })
  const { value: failed } = await call('explain', { name, input: { a: 1 } })
  expect(failed).toMatchObject({ code: null, error: { step_id: 'ask' } })
  expect(failed.explanation[0]).toBe('Step `set` leaves $x = 2.')
  expect(failed.explanation.at(-1)).toMatch(/^It failed in the step `ask`: .*score/)
  const { value: done } = await call('explain', { name, input: { a: 1 }, stubs: { 'score.get': 7 } })
  expect(done.explanation.slice(-3)).toEqual([
    expect.stringMatching(/^Step `ask` leaves \$x = 2, \$y = .*"payload":7/),
    'Step `end`.',
    'The result is `DONE` with the message "all".',
  ])
})

test('its proposal is a save by its key, and a stale one shows the current draft', async () => {
  const { call, key } = await assistant()
  const name = newName()
  const proposed = await call('propose_draft', { ruleset: grading(name), expected_seq: 0 })
  expect(proposed).toMatchObject({ isError: false, value: { name, seq: 1, problems: [] } })
  const { body } = await team.owner.request('GET', `${P}/rulesets/${name}`)
  expect([body.updated_by, body.ruleset]).toEqual([key.id, grading(name)])
  const { body: audit } = await team.owner.request('GET', `${team.path}/audit?action=draft.created`)
  expect(audit.items[0]).toMatchObject({ actor: { type: 'key', id: key.id }, object: { name } })
  const stale = await call('propose_draft', { ruleset: grading(name, 5), expected_seq: 0 })
  expect(stale).toMatchObject({
    isError: true,
    value: { error: expect.stringContaining('seq 1'), current: { seq: 1 } },
  })
  const wrong = await call('propose_draft', { ruleset: { config: { name } }, expected_seq: 1 })
  expect(wrong).toMatchObject({ isError: true, value: { details: [{ path: '/ruleset/steps' }] } })
})

test('it may do what its key may, and no more', async () => {
  const name = await saved()
  const reader = await assistant(['project.read'])
  expect((await reader.call('get_ruleset', { name })).isError).toBe(false)
  for (const [tool, given, right] of [
    ['explain', { name, input: {} }, 'test.run'],
    ['run_tests', { name }, 'test.run'],
    ['propose_draft', { ruleset: grading(name), expected_seq: 1 }, 'ruleset.edit'],
  ] as const) {
    const { isError, value } = await reader.call(tool, given)
    expect([isError, value.details[0].code]).toEqual([true, right])
  }
  const none = await assistant(['test.run'])
  expect((await none.call('list_rulesets')).value.details[0].code).toBe('project.read')
  // Its own organization, and another project; a project of others.
  const elsewhere = await assistant(WRITER, { project_ids: [project] })
  const other = await made(team.owner.request('POST', `${team.path}/projects`, { name: newName() }))
  const foreign = await newTeam(platform)
  const theirs = await made(foreign.owner.request('POST', `${foreign.path}/projects`, { name: 'Theirs' }))
  for (const id of [other.id, theirs.id, 'nonsense']) {
    const { isError, value } = await elsewhere.call('list_rulesets', {}, id)
    expect([isError, value]).toEqual([true, { error: `there is no project \`${id}\`` }])
  }
})

test.each([
  ['get_ruleset', {}, '/name'],
  ['get_ruleset', { name: 'a', seq: 0 }, '/seq'],
  ['get_ruleset', { name: 'a', sec: 1 }, '/sec'],
  ['explain', { name: 'a', input: 1 }, '/input'],
  ['validate', { ruleset: [] }, '/ruleset'],
  ['propose_draft', { ruleset: {} }, '/expected_seq'],
])('%s refuses %j with an error that the model can correct', async (tool, given, path) => {
  const { call } = await assistant()
  const { isError, value } = await call(tool, given)
  expect([isError, value.details[0].path]).toEqual([true, path])
})

test('arguments of a megabyte are accepted, larger ones refused, and deep or repeated ones make an invalid message', async () => {
  const { token } = await keyWith(WRITER)
  const send = (given: string) =>
    platform
      .program(token)
      .request(
        'POST',
        '/api/v1/mcp',
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_rulesets","arguments":{"project_id":${given}}}}`,
      )
  const long = await send(`"${'x'.repeat(1_000_000)}"`)
  expect([long.status, long.body.result.isError]).toEqual([200, true])
  expect(long.text.length).toBeLessThan(10_000)
  expect((await send(`"${'x'.repeat(1024 * 1024)}"`)).status).toBe(413)
  expect((await send(`${'['.repeat(1000)}1${']'.repeat(1000)}`)).status).toBe(400)
  expect((await send(`"a","project_id":"b"`)).status).toBe(400)
  const { body } = await send(`"a","__proto__":{"project_id":"b"}`)
  expect(body.result.isError ?? body.error).toBeDefined()
})

test('a large ruleset is validated and proposed like a small one, and one of more than a megabyte is not read', async () => {
  const { call } = await assistant()
  const name = newName()
  const steps = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ id: `s${at}`, type: 'terminal', code: `CODE_${at}` }))
  const large = { config: { name }, startStepId: 's0', steps: steps(9000) }
  const { value: checked } = await call('validate', { ruleset: large })
  expect(checked.problems).toContainEqual(expect.objectContaining({ code: 'unreachable-step', severity: 'warning' }))
  const wrong = await call('validate', { ruleset: { ...large, steps: [...large.steps, 1] } })
  expect([wrong.isError, wrong.value.details[0].path]).toEqual([true, '/ruleset/steps/9000'])
  const { value: proposed } = await call('propose_draft', { ruleset: large, expected_seq: 0 })
  expect(proposed).toMatchObject({ name, seq: 1 })
  expect((await call('get_ruleset', { name })).value.ruleset.steps).toHaveLength(9000)
  const path = `${team.path}/projects/${project}/rulesets/${name}`
  const ruleset = { ...large, notes: 'x'.repeat(1024 * 1024) }
  expect((await team.owner.request('POST', path, { ruleset, expected_seq: 1 })).status).toBe(200)
  for (const [seq, isError] of [
    [1, false],
    [2, true],
    [undefined, true],
  ] as const)
    expect([seq, (await call('get_ruleset', { name, ...(seq && { seq }) })).isError]).toEqual([seq, isError])
})

test('a message has 100,000 values at most', async () => {
  const { token } = await keyWith(WRITER)
  const message = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[${'0,'.repeat(100_000)}0]}}`
  expect((await platform.program(token).request('POST', '/api/v1/mcp', message)).status).toBe(413)
})

test('a message outside the protocol gets the error of JSON-RPC', async () => {
  const { token } = await keyWith(WRITER)
  const send = async (body: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await platform.program(token).request('POST', '/api/v1/mcp', body, headers)
    return [answer.status, answer.body?.id, answer.body?.error?.code]
  }
  const request = { jsonrpc: '2.0', id: 'a', method: 'tools/call' }
  expect(await send([])).toEqual([200, null, -32600])
  expect(await send({ id: 1, method: 'ping' })).toEqual([200, null, -32600])
  expect(await send({ ...request, method: 1 })).toEqual([200, null, -32600])
  expect(await send({ ...request, id: {} })).toEqual([200, null, -32600])
  expect(await send({ ...request, method: 'toString' })).toEqual([200, 'a', -32601])
  expect(await send({ ...request, params: [] })).toEqual([200, null, -32602])
  expect(await send({ ...request, params: { name: 'publish' } })).toEqual([200, 'a', -32602])
  expect(await send({ ...request, params: {} })).toEqual([200, 'a', -32602])
  expect(await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).toEqual([202, undefined, undefined])
  expect(await send({ jsonrpc: '2.0', id: 1, result: {} })).toEqual([202, undefined, undefined])
  const old = { 'mcp-protocol-version': '2024-10-07' }
  expect(await send({ jsonrpc: '2.0', id: 1, method: 'ping' }, old)).toEqual([400, undefined, undefined])
})

test('an unknown version is answered with the newest', async () => {
  const { token } = await keyWith(WRITER)
  const initialize = (protocolVersion: string) =>
    platform.program(token).request('POST', '/api/v1/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    })
  expect((await initialize('2025-06-18')).body.result.protocolVersion).toBe('2025-06-18')
  expect((await initialize('2099-01-01')).body.result.protocolVersion).toBe('2025-11-25')
})

test('there is no stream, and no session without a key', async () => {
  const { token } = await keyWith(WRITER)
  expect((await platform.program(token).request('GET', '/api/v1/mcp')).status).toBe(405)
  expect((await platform.program(undefined).request('POST', '/api/v1/mcp', {})).status).toBe(401)
  const { status, body } = await team.owner.request('POST', '/api/v1/mcp', {})
  expect([status, body.details[0].code]).toEqual([403, 'key'])
})

test('an edit is answered with verdicts and inputs in sentences', async () => {
  const { call } = await assistant()
  const name = newName()
  const base = grading(name)
  const dead = { id: 'dead', condition: 'points >= 20', nextStepId: 'yes' }
  const steps = base.steps.map((step) =>
    step.id === 'start' && 'branches' in step ? { ...step, branches: [...(step.branches ?? []), dead] } : step,
  )
  const { value } = await call('propose_draft', { ruleset: { ...base, steps }, expected_seq: 0 })
  expect(value.analysis[0]).toBe(
    'Error at /steps/0/branches/1, shadowed, proved for all inputs: earlier branches take all inputs for which it is true (/steps/0/branches/0).',
  )
  await call('propose_draft', { ruleset: base, expected_seq: 1 })
  const { value: sound } = await call('analyze', { name })
  expect(sound.analysis).toEqual([
    expect.stringMatching(/^No mistake was found: \d+ questions are decided for all inputs, 0/),
  ])
})
