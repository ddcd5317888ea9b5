import { stringifyJson, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { decodeDraft, decodeGraph, isDraft } from './decode.ts'

/** A draft with every member that has a meaning. */
const WHOLE = {
  config: {
    name: 'd',
    version: '1.0.0',
    description: 'text',
    enableTrace: true,
    contract: 'c',
    timeout: 5,
    maxDepth: 6,
    fieldMissing: 'default',
    numbers: 'decimal',
    metadata: {},
    tenantId: 't',
    intended: [{ finding: 'gap', place: '/steps/0', reason: 'wanted', author: 'a', at: '2026-01-01' }],
  },
  startStepId: 's1',
  steps: [
    {
      id: 's1',
      name: 'Step',
      type: 'decision',
      branches: [{ id: 'b1', label: 'high', condition: 'a > 1', nextStepId: 's2' }],
      defaultNextStepId: 's2',
    },
    {
      id: 's2',
      name: 'Step',
      type: 'action',
      assignments: [{ name: 'x', value: '1' }],
      externalCalls: [{ type: 'function', target: 's#m', params: { p: '1' }, resultVariable: 'r', timeout: 5 }],
      logging: { message: '"m"', level: 'info' },
      nextStepId: 's3',
    },
    {
      id: 's3',
      name: 'Step',
      type: 'sub_rule',
      refName: 'inner',
      bindings: [{ field: 'a', expr: 'b' }],
      outputs: [{ parentVar: 'p', childVar: 'c' }],
      nextStepId: 's4',
    },
    {
      id: 's4',
      name: 'Step',
      type: 'table',
      hitPolicy: 'collect',
      aggregate: 'sum',
      columns: [{ id: 'c1', kind: 'input', field: 'a', type: 'number', label: 'A', unit: 'EUR', width: 100 }],
      rows: [{ id: 'r1', cells: { c1: '> 1' }, nextStepId: 's5', disabled: true, note: 'n' }],
      nextStepId: 's5',
      defaultNextStepId: 's5',
    },
    { id: 's5', name: 'Step', type: 'terminal', code: 'DONE', message: '"m"', output: [{ name: 'o', value: '1' }] },
  ],
  subRules: { inner: { startStepId: 'e', steps: [{ id: 'e', type: 'terminal', code: 'E' }] } },
  samples: [{ name: 'one', input: { a: 1 } }],
} as const satisfies Value

/** The pointers to all values that have no members. */
function leavesOf(value: Value, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return [path]
  return Object.entries(value).flatMap(([key, member]) => leavesOf(member as Value, `${path}/${key}`))
}

/** The draft with another value at a pointer; undefined removes it. */
function changed(path: string, value: Value | undefined): Value {
  const copy: unknown = structuredClone(WHOLE)
  const keys = path.split('/').slice(1)
  const last = keys.pop() ?? ''
  const owner = keys.reduce<unknown>((found, key) => Reflect.get(found as object, key), copy) as object
  if (value === undefined) Reflect.deleteProperty(owner, last)
  else Reflect.set(owner, last, value)
  return copy as Value
}

const problemsOf = (document: Value) =>
  decodeDraft(document).problems.map(({ path, code, severity }) => `${severity} ${code} ${path}`)

test('a draft with all members is kept as it is', () => {
  expect(decodeDraft(WHOLE)).toEqual({ draft: WHOLE, problems: [] })
})

/** Inputs of samples and metadata have any members, and cells that are not text are read as literals. */
const LEAVES = leavesOf(WHOLE).filter((path) => !path.startsWith('/samples/0/input/'))

test.each(LEAVES)('at %s a value of another type is an error', (path) => {
  const wrong = path === '/config/metadata' ? 'text' : []
  const found = problemsOf(changed(path, wrong))
  expect(found).toEqual([
    expect.stringMatching(new RegExp(String.raw`^error (wrong-type|bad-expression-object) ${path}$`)),
  ])
})

const REQUIRED = [
  '/config/name',
  '/config/intended/0/finding',
  '/config/intended/0/place',
  '/config/intended/0/reason',
  '/steps/0/id',
  '/steps/0/type',
  '/steps/1/id',
  '/steps/1/externalCalls/0/type',
  '/steps/2/id',
  '/steps/3/id',
  '/steps/3/hitPolicy',
  '/steps/3/columns',
  '/steps/3/columns/0/id',
  '/steps/3/columns/0/kind',
  '/steps/3/rows',
  '/steps/3/rows/0/cells',
  '/steps/4/id',
  '/subRules/inner/steps',
  '/subRules/inner/steps/0/id',
  '/samples/0/name',
  '/samples/0/input',
  '/config',
  '/steps',
]

test.each(REQUIRED)('%s is required', (path) => {
  expect(problemsOf(changed(path, undefined))).toEqual([`error missing-field ${path}`])
})

test.each<[path: string, kept: object]>([
  ['/steps/0/branches/0/id', { branches: [{ ...WHOLE.steps[0].branches[0], id: 'b1' }] }],
  ['/steps/1/assignments', { assignments: [] }],
  ['/steps/2/bindings', { bindings: [] }],
  ['/steps/2/outputs', { outputs: [] }],
  ['/steps/3/rows/0/id', { rows: [{ ...WHOLE.steps[3].rows[0], id: 'r1' }] }],
])('%s has a default', (path, kept) => {
  const { draft, problems } = decodeDraft(changed(path, undefined))
  expect(problems).toEqual([])
  expect(draft?.steps[Number(path.split('/')[2])]).toMatchObject(kept)
})

test.each(LEAVES.filter((path) => !/\/steps\/\d+\/type$/.test(path)))('null at %s counts as absent', (path) => {
  expect(problemsOf(changed(path, null))).toEqual(REQUIRED.includes(path) ? [`error missing-field ${path}`] : [])
})

test('members without a meaning are kept, and problems have the step that they belong to', () => {
  const document = changed('/steps/0/position', { x: 1 })
  expect(stringifyJson(decodeDraft(document).draft as unknown as Value)).toContain('"position":{"x":1}')
  expect(decodeDraft(changed('/steps/1/nextStepId', 5)).problems).toMatchObject([{ step_id: 's2' }])
  expect(decodeDraft(changed('/startStepId', 5)).problems[0]).not.toHaveProperty('step_id')
})

test.each<[value: Value, text: string]>([
  [5, '5'],
  [true, 'true'],
  [null, ''],
  ['"x"', '"x"'],
])('the cell %j is the text %j', (value, text) => {
  const { draft } = decodeDraft(changed('/steps/3/rows/0/cells/c1', value))
  expect(draft?.steps[3]).toMatchObject({ rows: [{ cells: { c1: text } }] })
})

test.each<[reason: string]>([[''], [' \t']])('a finding cannot be intended without a reason: %j', (reason) => {
  expect(problemsOf(changed('/config/intended/0/reason', reason))).toEqual([
    'error wrong-type /config/intended/0/reason',
  ])
})

test('the first step and the sides of sub-rules may have their older names', () => {
  const { steps } = WHOLE
  expect(decodeGraph({ entryStep: 's5', steps: [steps[4]] })).toEqual({
    graph: { startStepId: 's5', steps: [steps[4]] },
    problems: [],
  })
  const use = { ...steps[2], bindings: [{ name: 'a', value: 'b' }], outputs: [{ name: 'c', to: 'p' }] }
  expect(decodeGraph({ steps: [use] }).graph?.steps).toEqual([steps[2]])
})

test.each<[document: Value, isOne: boolean]>([
  [{ steps: [] }, true],
  [{ steps: {} }, false],
  [{}, false],
  [[], false],
  [null, false],
])('%j is a draft: %s', (document, isOne) => {
  expect(isDraft(document)).toBe(isOne)
})
