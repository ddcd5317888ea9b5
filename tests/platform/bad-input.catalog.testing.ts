import type { BadRequest } from './bad-input.testing.ts'

/** Facts, concepts and contracts that must be refused: data for bad-input.test.ts. All that exist are named `rule`. */

const FACT = 'POST /api/v1/projects/{project}/facts'
const PUT_FACT = 'PUT /api/v1/projects/{project}/facts/rule'
const USAGE = '/api/v1/projects/{project}/facts/rule/usage'
const CONCEPT = 'POST /api/v1/projects/{project}/concepts'
const PUT_CONCEPT = 'PUT /api/v1/projects/{project}/concepts/rule'
const CONTRACT = 'POST /api/v1/projects/{project}/contracts'
const PUT_CONTRACT = 'PUT /api/v1/projects/{project}/contracts/rule'

const contract = (more: object = {}) => ({ name: 'c', version: '1.0.0', input: { fields: [] }, outputs: [], ...more })
const withField = (field: object) => contract({ input: { fields: [{ name: 'a', type: 'number', ...field }] } })
const { name: _name, ...unnamed } = contract()

const facts: readonly BadRequest[] = [
  { title: 'without a type', route: FACT, body: { name: 'a' }, status: 400, at: '/type' },
  {
    title: 'of an invalid type',
    route: FACT,
    body: { name: 'a', type: 'date' },
    status: 400,
    at: '/type',
    kind: 'unknown-type',
  },
  {
    title: 'of an unknown concept',
    route: FACT,
    body: { name: 'a', type: 'concept:x' },
    status: 400,
    at: '/type',
    kind: 'unknown-concept',
  },
  { title: 'whose usage has an invalid type', route: `GET ${USAGE}?type=date`, status: 400 },
  { title: 'whose usage has an unknown concept', route: `GET ${USAGE}?type=concept:x`, status: 400 },
  { title: 'whose usage has a cursor with NUL', route: `GET ${USAGE}?cursor=%00`, status: 400 },
  { title: 'whose usage has pages without rulesets', route: `GET ${USAGE}?limit=0`, status: 400 },
  { title: 'that is missing, with its usage', route: `GET ${USAGE.replace('rule', 'none')}`, status: 404 },
  { title: 'of an array of nothing', route: FACT, body: { name: 'a', type: 'array<>' }, status: 400, at: '/type' },
  {
    title: 'of arrays a hundred levels deep',
    route: FACT,
    body: { name: 'a', type: `${'array<'.repeat(100)}any${'>'.repeat(100)}` },
    status: 400,
    at: '/type',
  },
  {
    title: 'whose name is not a path',
    route: FACT,
    body: { name: 'a b', type: 'string' },
    status: 400,
    at: '/name',
    kind: 'bad-path',
  },
  {
    title: 'whose name is an expression',
    route: FACT,
    body: { name: 'a + 1', type: 'string' },
    status: 400,
    at: '/name',
  },
  {
    title: 'whose example is of another type',
    route: FACT,
    body: { name: 'a', type: 'array<number>', example: [1, '2'] },
    status: 400,
    at: '/example',
    kind: 'bad-example',
  },
  {
    title: 'whose example is of the type before',
    route: PUT_FACT,
    body: { type: 'boolean', example: 'yes' },
    status: 400,
    at: '/example',
    kind: 'bad-example',
  },
  {
    title: 'with a name that is taken',
    route: FACT,
    body: { name: 'rule', type: 'string' },
    status: 409,
    kind: 'duplicate',
  },
  {
    title: 'with 101 tags',
    route: FACT,
    body: { name: 'a', type: 'string', tags: Array(101).fill('x') },
    status: 400,
    at: '/tags',
  },
  {
    title: 'with an unknown member',
    route: FACT,
    body: { name: 'a', type: 'string', unit: 'EUR' },
    status: 400,
    kind: 'unknown-field',
  },
  {
    title: 'that is renamed',
    route: PUT_FACT,
    body: { name: 'b', type: 'string' },
    status: 400,
    at: '/name',
    kind: 'renamed',
  },
  {
    title: 'that was changed',
    route: PUT_FACT,
    body: { type: 'string' },
    headers: { 'if-match': '"7"' },
    status: 409,
    kind: 'stale',
  },
  { title: 'of NUL', route: 'GET /api/v1/projects/{project}/facts/%00', status: 404 },
  { title: 'named __proto__ that is not there', route: 'GET /api/v1/projects/{project}/facts/__proto__', status: 404 },
]

const concepts: readonly BadRequest[] = [
  {
    title: 'whose name a type cannot hold',
    route: CONCEPT,
    body: { name: 'a>b', fields: [] },
    status: 400,
    at: '/name',
  },
  {
    title: 'with a field of no type',
    route: CONCEPT,
    body: { name: 'a', fields: [{ name: 'x' }] },
    status: 400,
    at: '/fields/0/type',
  },
  {
    title: 'with a field twice',
    route: CONCEPT,
    body: {
      name: 'a',
      fields: [
        { name: 'x', type: 'any' },
        { name: 'x', type: 'any' },
      ],
    },
    status: 400,
    at: '/fields/1/name',
    kind: 'repeated-name',
  },
  {
    title: 'of an unknown concept',
    route: CONCEPT,
    body: { name: 'a', fields: [{ name: 'x', type: 'array<concept:b>' }] },
    status: 400,
    at: '/fields/0/type',
    kind: 'unknown-concept',
  },
  {
    title: 'with 5001 fields',
    route: CONCEPT,
    body: { name: 'a', fields: Array.from({ length: 5001 }, () => ({})) },
    status: 400,
    at: '/fields',
  },
  { title: 'that is renamed', route: PUT_CONCEPT, body: { name: 'b', fields: [] }, status: 400, kind: 'renamed' },
  {
    title: 'with a name that is taken',
    route: CONCEPT,
    body: { name: 'rule', fields: [] },
    status: 409,
    kind: 'duplicate',
  },
]

const contracts: readonly BadRequest[] = [
  {
    title: 'of 100,001 values',
    route: CONTRACT,
    body: withField({ type: 'array<number>', default: Array(100_001).fill(0) }),
    status: 400,
    kind: 'too-large',
  },
  {
    title: 'without a version',
    route: CONTRACT,
    body: { name: 'c', input: { fields: [] }, outputs: [] },
    status: 400,
    at: '/version',
  },
  {
    title: 'of an invalid version',
    route: CONTRACT,
    body: contract({ version: '1.0' }),
    status: 400,
    at: '/version',
    kind: 'bad-version',
  },
  {
    title: 'whose name no ruleset has',
    route: CONTRACT,
    body: contract({ name: '../c' }),
    status: 400,
    at: '/name',
    kind: 'bad-name',
  },
  {
    title: 'with a field of an unknown type',
    route: CONTRACT,
    body: withField({ type: 'map' }),
    status: 400,
    at: '/input/fields/0/type',
    kind: 'unknown-type',
  },
  {
    title: 'with a default of another type',
    route: CONTRACT,
    body: withField({ default: 'x' }),
    status: 400,
    at: '/input/fields/0/default',
    kind: 'bad-default',
  },
  {
    title: 'with a default out of its range',
    route: CONTRACT,
    body: withField({ default: 5, maximum: 4 }),
    status: 400,
    at: '/input/fields/0/default',
  },
  {
    title: 'with bounds the wrong way round',
    route: CONTRACT,
    body: withField({ minimum: 2, maximum: 1 }),
    status: 400,
    kind: 'bad-range',
  },
  {
    title: 'with bounds beyond numbers',
    route: CONTRACT,
    body: '{"name":"c","version":"1.0.0","input":{"fields":[{"name":"a","type":"any","minimum":1e999}]},"outputs":[]}',
    status: 400,
  },
  {
    title: 'with an output code twice',
    route: CONTRACT,
    body: contract({
      outputs: [
        { code: 'A', fields: [] },
        { code: 'A', fields: [] },
      ],
    }),
    status: 400,
    at: '/outputs/1/code',
  },
  {
    title: 'with outputs that have no fields',
    route: CONTRACT,
    body: contract({ outputs: [{ code: 'A' }] }),
    status: 400,
    at: '/outputs/0/fields',
  },
  {
    title: 'with an unknown member of a field',
    route: CONTRACT,
    body: withField({ min: 1 }),
    status: 400,
    at: '/input/fields/0/min',
    kind: 'unknown-field',
  },
  {
    title: 'that changes without a version',
    route: PUT_CONTRACT,
    body: { ...unnamed, outputs: [{ code: 'A', fields: [] }] },
    status: 400,
    at: '/version',
    kind: 'version-too-low',
  },
  {
    title: 'that goes back to an earlier version',
    route: PUT_CONTRACT,
    body: { ...unnamed, version: '0.9.0' },
    status: 400,
    at: '/version',
  },
]

const TESTS = 'POST /api/v1/projects/{project}/rulesets/rule/tests'
const SUITE = '/api/v1/projects/{project}/rulesets/rule/tests/{suite}'
const CASES = `POST ${SUITE}/cases`
const IMPORT = `${TESTS}/import`
const expecting = (expect: unknown, more: object = {}) => ({ name: 'c', expect, ...more })

const tests: readonly BadRequest[] = [
  { title: 'neither suite nor case', route: TESTS, body: { name: 'a' }, status: 400 },
  { title: 'suite and case', route: TESTS, body: { name: 'a', cases: [], expect: { code: 'A' } }, status: 400 },
  { title: 'a suite with an input', route: TESTS, body: { name: 'a', cases: [], input: {} }, status: 400 },
  {
    title: 'a suite whose name is taken',
    route: TESTS,
    body: { name: 'rule', cases: [] },
    status: 409,
    kind: 'duplicate',
  },
  {
    title: 'a suite with 5001 cases',
    route: TESTS,
    body: { name: 'a', cases: Array.from({ length: 5001 }, () => ({})) },
    status: 400,
    at: '/cases',
  },
  {
    title: 'a case that expects nothing',
    route: CASES,
    body: expecting({}),
    status: 400,
    at: '/expect',
    kind: 'bad-case',
  },
  {
    title: 'a case that expects result and error',
    route: CASES,
    body: expecting({ code: 'A', error: 'x' }),
    status: 400,
    at: '/expect/error',
  },
  {
    title: 'a case with unknown expectations',
    route: CASES,
    body: expecting({ codes: 'A' }),
    status: 400,
    kind: 'unknown-field',
  },
  {
    title: 'a tolerance below 0',
    route: CASES,
    body: expecting({ output: {}, tolerance: -1 }),
    status: 400,
    at: '/expect/tolerance',
  },
  {
    title: 'an input that is a list',
    route: CASES,
    body: expecting({ code: 'A' }, { input: [] }),
    status: 400,
    at: '/input',
  },
  {
    title: 'an invalid time',
    route: CASES,
    body: expecting({ code: 'A' }, { now: 'soon' }),
    status: 400,
    at: '/now',
  },
  {
    title: 'stubs that are a list',
    route: CASES,
    body: expecting({ code: 'A' }, { stubs: [] }),
    status: 400,
    at: '/stubs',
  },
  {
    title: 'a case whose name is taken',
    route: CASES,
    body: { name: 'first', expect: { code: 'A' } },
    status: 400,
    at: '/name',
  },
  {
    title: 'a suite that was changed',
    route: `PUT ${SUITE}`,
    body: { name: 'rule', cases: [] },
    headers: { 'if-match': '"7"' },
    status: 409,
    kind: 'stale',
  },
  { title: 'a case of no suite', route: `DELETE ${SUITE}/cases/nonsense`, status: 404 },
  {
    title: 'a missing save',
    route: `POST ${SUITE}/run`,
    body: { seq: 99 },
    status: 400,
    at: '/seq',
    kind: 'unknown-seq',
  },
  {
    title: 'an unknown case',
    route: `POST ${SUITE}/run`,
    body: { case_ids: ['018f0000-0000-7000-8000-000000000000'] },
    status: 400,
    at: '/case_ids/0',
    kind: 'unknown-case',
  },
  { title: 'a save that is not a number', route: `POST ${SUITE}/run`, body: { seq: 'x' }, status: 400, at: '/seq' },
  {
    title: 'a file of another format',
    route: 'GET /api/v1/projects/{project}/rulesets/rule/tests/export?format=xlsx',
    status: 400,
  },
  {
    title: 'the file of another ruleset',
    route: IMPORT,
    body: { ruleset: 'other', cases: [] },
    status: 400,
    at: '/ruleset',
  },
  {
    title: 'a file with a case twice',
    route: IMPORT,
    body: { cases: [expecting({ code: 'A' }), expecting({ code: 'B' })] },
    status: 400,
    at: '/cases/1/name',
  },
  {
    title: 'a file with __proto__',
    route: IMPORT,
    body: '{"cases":[{"name":"a","expect":{"code":"A"},"__proto__":{}}]}',
    status: 400,
    kind: 'unknown-field',
  },
]

const TRACE = 'POST /api/v1/projects/{project}/rulesets/rule/trace'
const end = (more: object = {}) => ({ id: 'e', type: 'terminal', code: 'A', ...more })
const draft = (steps: readonly object[], more: object = {}) => ({
  config: { name: 'rule' },
  startStepId: 'e',
  steps,
  ...more,
})
const tracing = (ruleset: unknown, more: object = {}) => ({ ruleset, input: {}, ...more })

const traces: readonly BadRequest[] = [
  { title: 'of no ruleset', route: TRACE, body: { input: {} }, status: 400, at: '/ruleset' },
  { title: 'of a text', route: TRACE, body: tracing('x'), status: 400, at: '/ruleset' },
  { title: 'of a ruleset without steps', route: TRACE, body: tracing({ config: { name: 'rule' } }), status: 400 },
  {
    title: 'of another name',
    route: TRACE,
    body: tracing(draft([end()], { config: { name: 'x' } })),
    status: 400,
    at: '/ruleset/config/name',
  },
  {
    title: 'of a ruleset that begins nowhere',
    route: TRACE,
    body: tracing(draft([], { startStepId: 'x' })),
    status: 400,
    kind: 'unknown-step',
  },
  {
    title: 'of an expression that ends early',
    route: TRACE,
    body: tracing(draft([end({ output: [{ name: 'a', value: '1 +' }] })])),
    status: 400,
    at: '/ruleset/steps/0/output/0/value',
  },
  { title: 'of a step twice', route: TRACE, body: tracing(draft([end(), end()])), status: 400, kind: 'duplicate-id' },
  {
    title: 'of a missing sub-rule',
    route: TRACE,
    body: tracing(draft([{ id: 'e', type: 'sub_rule', refName: 'none', bindings: [], outputs: [], nextStepId: 'e' }])),
    status: 400,
    kind: 'unknown-sub-rule',
  },
  { title: 'without an input', route: TRACE, body: { ruleset: draft([end()]) }, status: 400, at: '/input' },
  {
    title: 'with an input that is a list',
    route: TRACE,
    body: tracing(draft([end()]), { input: [] }),
    status: 400,
    at: '/input',
  },
  {
    title: 'at an invalid time',
    route: TRACE,
    body: tracing(draft([end()]), { now: 'x' }),
    status: 400,
    at: '/now',
  },
]

/** By subject. */
export const CATALOG_REQUESTS: readonly (readonly [string, readonly BadRequest[]])[] = [
  ['a fact', facts],
  ['a concept', concepts],
  ['a contract', contracts],
  ['a test', tests],
  ['a try-run', traces],
]
