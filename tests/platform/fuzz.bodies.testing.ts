import { asking, feeOf, grading } from './drafts.testing.ts'
import type { World } from './world.testing.ts'

/**
 * Requests with the parts that the smallest valid ones of rights.testing.ts lack: every kind of step, settings and lists that
 * are not empty, the tools of assistants, documents of other formats.
 */
interface RichRequest {
  readonly query?: string
  readonly body: unknown
}

type Maker = (world: World) => readonly RichRequest[]

const bodies =
  (...list: readonly unknown[]): Maker =>
  () =>
    list.map((body) => ({ body }))

/** A draft with a step of each kind. */
const whole = (name: string) => ({
  config: {
    name,
    version: '1.2.3-rc.1',
    timeout: 100,
    maxDepth: 50,
    defaults: { points: 1 },
    metadata: { owner: 'a' },
  },
  startStepId: 'table',
  steps: [
    {
      id: 'table',
      type: 'table',
      hitPolicy: 'collect',
      aggregate: 'sum',
      columns: [
        { id: 'c1', kind: 'input', field: 'points', type: 'number' },
        { id: 'c2', kind: 'output', field: 'bonus', type: 'number' },
      ],
      rows: [{ id: 'r1', cells: { c1: '>= 1', c2: '2' } }],
      nextStepId: 'ask',
      defaultNextStepId: 'no',
    },
    { ...asking('x', 'rule').steps[0], nextStepId: 'act' },
    {
      id: 'act',
      type: 'action',
      assignments: [{ name: 'x', value: 'points * 2' }],
      externalCalls: [{ type: 'http', target: 'svc.ask', params: { a: 'points' }, resultVariable: 'r', timeout: 10 }],
      logging: { message: '"seen"', level: 'info' },
      nextStepId: 'own',
    },
    { id: 'own', type: 'sub_rule', refName: 'inner', bindings: [], outputs: [], nextStepId: 'pick' },
    {
      id: 'pick',
      type: 'decision',
      branches: [{ id: 'b', label: 'yes', condition: 'matches(name, "^a.*")', nextStepId: 'no' }],
      defaultNextStepId: 'no',
    },
    { id: 'no', type: 'terminal', code: 'NO', message: '"no"', output: [{ name: 'x', value: '$x' }] },
  ],
  subRules: { inner: { startStepId: 'e', steps: [{ id: 'e', type: 'terminal', code: 'E' }] } },
  samples: [{ name: 's', input: { points: 3 } }],
})

const plain = [
  { name: 'points', type: 'number' },
  { name: 'list', type: 'array<concept:rule>' },
]
const fields = [
  { name: 'points', type: 'number', required: true, minimum: 0, maximum: 10, default: 3, sensitive: true },
  { name: 'tags', type: 'array<string>', enum: [['a'], ['b']] },
]
const contract = {
  version: '2.0.0',
  input: { fields },
  outputs: [{ code: 'NO', fields: [{ name: 'x', type: 'number' }] }],
}
const cases = [
  {
    name: 'one',
    input: { points: 3 },
    now: '2026-01-01T00:00:00Z',
    stubs: { 'svc.ask': { a: 1 } },
    expect: { code: 'NO', output: { x: 1 }, exact: true, path: ['table'], tolerance: 0.1 },
  },
  { name: 'two', expect: { error: 'is missing' } },
]
const policy = {
  name: 'strict',
  priority: 3,
  enabled: true,
  match: { environments: ['dev'] },
  approvers: { min_count: 2, roles: ['admin'], exclude_authors: true },
  auto_run_tests: true,
  freeze_window: { cron: '0 22 * * 5', duration: '8h', time_zone: 'Europe/Berlin' },
}
const jdm = {
  contentType: 'application/vnd.gorules.decision',
  nodes: [
    { id: 'i', name: 'in', type: 'inputNode' },
    { id: 'o', name: 'out', type: 'outputNode' },
    {
      id: 'd',
      name: 'table',
      type: 'decisionTableNode',
      content: {
        hitPolicy: 'first',
        inputs: [{ id: 'a', name: 'a', field: 'a' }],
        outputs: [{ id: 'b', name: 'b', field: 'b' }],
        rules: [{ _id: 'r', a: '> 3', b: '1' }],
      },
    },
  ],
  edges: [
    { id: '1', sourceId: 'i', targetId: 'd' },
    { id: '2', sourceId: 'd', targetId: 'o' },
  ],
}
const engineFormat = {
  config: { name: 'rule', entry_step: 'd', version: '1.0.0' },
  steps: {
    d: { id: 'd', name: 'd', type: 'decision', branches: [{ condition: 'a > 1', next_step: 't' }], default_next: 't' },
    t: { id: 't', name: 't', type: 'terminal', result: { code: 'T', message: 't' } },
  },
}
const conditions = {
  conditions: {
    any: [{ all: [{ fact: 'a', operator: 'greaterThan', value: 3 }] }, { fact: 'b', operator: 'in', value: [1] }],
  },
  event: { type: 'e', params: { x: 1 } },
}

const tool = (name: string, given: (world: World) => object) => (world: World) => ({
  body: {
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name, arguments: { project_id: world.project, ...given(world) } },
  },
})
const message = (method: string, params: object = {}) => ({ body: { jsonrpc: '2.0', id: 'a', method, params } })
const TOOLS = [
  tool('list_rulesets', () => ({})),
  tool('get_ruleset', () => ({ name: 'rule', seq: 1 })),
  tool('explain', () => ({ name: 'rule', input: { points: 12 }, now: '2026-01-01T00:00:00Z', stubs: {} })),
  tool('validate', () => ({ ruleset: whole('rule') })),
  tool('run_tests', () => ({ name: 'rule' })),
  tool('propose_draft', () => ({ ruleset: whole('rule'), expected_seq: 1 })),
]

/** By method and the end of the path. */
const RICH: readonly (readonly [method: string, end: RegExp, make: Maker])[] = [
  [
    'POST',
    /\/rulesets\/\{name\}$/,
    bodies({ ruleset: whole('rule'), expected_seq: 1 }, { ruleset: whole('rule'), expected_seq: 0 }),
  ],
  ['POST', /\/(?:validate|convert)$/, bodies({ ruleset: whole('rule') }, { ruleset: grading('rule') })],
  [
    'POST',
    /\/convert$/,
    () => [
      { query: '?to=editor', body: { ruleset: engineFormat } },
      { query: '?to=engine', body: { ruleset: whole('rule') } },
    ],
  ],
  [
    'POST',
    /\/trace$/,
    bodies({
      ruleset: whole('rule'),
      input: { points: 3, cart: 1, name: 'ab', tags: ['x'] },
      stubs: { 'svc.ask': { a: 1 } },
    }),
  ],
  ['POST', /\/sub-rules$/, () => [{ body: { name: `s-${crypto.randomUUID()}`, ...feeOf('3') } }]],
  ['PUT', /\/sub-rules\/\{name\}$/, bodies({ ...feeOf('3'), expected_seq: 1 })],
  ['PUT', /\/contracts\/\{name\}$/, bodies(contract)],
  ['POST', /\/contracts\/\{name\}\/check$/, bodies(contract)],
  ['POST', /\/contracts$/, () => [{ body: { name: `c${Date.now()}`, ...contract } }]],
  ['POST', /\/contracts\/derive$/, bodies({ ruleset: 'rule', inputs: [{ points: 3, tags: ['a'], at: '2026-01-01' }] })],
  ['PUT', /\/concepts\/\{name\}$/, bodies({ fields: plain })],
  ['PUT', /\/facts\/\{name\}$/, bodies({ type: 'array<number>', description: 'd', example: [1], tags: ['a', 'b'] })],
  ['POST', /\/tests$/, () => [{ body: { name: `t-${crypto.randomUUID()}`, cases } }, { body: cases[0] }]],
  ['PUT', /\/tests\/\{sid\}$/, bodies({ name: 'rule', cases })],
  ['POST', /\/tests\/import$/, bodies({ ruleset: 'rule', cases: cases.map((one) => ({ suite: 'rule', ...one })) })],
  ['POST', /\/release-policies$/, () => [{ body: { ...policy, name: `p-${crypto.randomUUID()}` } }]],
  ['PUT', /\/release-policies\/\{id\}$/, bodies(policy)],
  [
    'PUT',
    /\/canary$/,
    bodies({
      on_failure: 'rollback',
      alpha: 0.1,
      stages: [
        { percent: 5, duration_s: 60 },
        { percent: 50, duration_s: 60, min_requests: 3 },
      ],
    }),
  ],
  ['PUT', /\/recording$/, bodies({ rate: 0.5, mask: ['points', 'a.b'], retention_days: 3 })],
  [
    'POST',
    /\/releases(?:\/preview)?$/,
    bodies({
      title: 't',
      description: 'd',
      acknowledge_breaking: true,
      rulesets: [
        { name: 'rule', from_seq: 1 },
        { name: 'kept', from_seq: 1 },
      ],
      environments: ['prod', 'dev'],
    }),
  ],
  ['POST', /\/publish$/, bodies({ environment: 'prod', seq: 1, release_note: 'n' })],
  ['PUT', /\/server$/, ({ server }) => [{ body: { environment: 'dev', server_ids: [server] } }]],
  [
    'POST',
    /\/imports$/,
    () => [
      { query: '?format=jdm&apply=true', body: jdm },
      { query: '?format=engine', body: engineFormat },
      { query: '?format=json-rules-engine&name=x', body: { ...conditions, name: 'x' } },
      { query: '?format=json-rules-engine&name=y', body: [conditions, { ...conditions, priority: 4 }] },
    ],
  ],
  [
    'POST',
    /\/api-keys$/,
    () => [{ body: { name: 'k', scopes: ['project.read', 'decision.execute'], expires_at: '2999-01-01T00:00:00Z' } }],
  ],
  ['POST', /\/mcp$/, (world) => [...TOOLS.map((make) => make(world)), message('tools/list'), message('initialize')]],
  [
    'POST',
    /\/internal\/heartbeat$/,
    bodies({
      session: 's',
      health: { ready: true },
      version: '1.0.0',
      capabilities: ['a'],
      applied_revision: 0,
      rulesets: [{ name: 'rule', digest: '0'.repeat(64) }],
      wait_ms: 0,
    }),
  ],
]

/** The requests of an operation that have more in them; none where its smallest one is all there is. */
export const richRequests = (method: string, path: string, world: World): readonly RichRequest[] =>
  RICH.flatMap(([of, end, make]) => (of === method && end.test(path) ? make(world) : []))
