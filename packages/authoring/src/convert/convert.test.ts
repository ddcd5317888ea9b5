import { createProgram, decodeRuleset } from '@engine/ruleset'
import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { testHost } from '../../../ruleset/src/host.testing.ts'
import { decodeDraft, decodeGraph } from '../draft/decode.ts'
import type { DraftGraph, DraftRuleset, DraftStep } from '../draft/model.ts'
import { type ConvertOptions, convertDraft } from './convert.ts'

type Document = { readonly [key: string]: Value }

const DONE: Value = { id: 'done', type: 'terminal', code: 'DONE' }

/** A draft of one step and a terminal. */
function oneStep(step: Document, more: Document = {}): Document {
  return {
    config: { name: 'test' },
    startStepId: 's',
    steps: [{ id: 's', nextStepId: 'done', ...step }, DONE],
    ...more,
  }
}

function convert(document: Value, options: ConvertOptions = {}) {
  const { draft, problems } = decodeDraft(document)
  return draft === undefined ? { problems } : convertDraft(draft, options)
}

/** The marked characters of each problem, with its code and place. */
function marked(document: Value, options: ConvertOptions = {}): readonly string[] {
  return convert(document, options).problems.map((problem) => {
    const { path, code, step_id: step, severity, line, column = 0, length = 0 } = problem
    const text = line === undefined ? undefined : lineAt(textAt(document, path), line)
    const span = text === undefined ? '' : ` "${text.slice(column - 1, column - 1 + length)}"`
    return `${severity} ${code} ${path}${span}${step === undefined ? '' : ` (${step})`}`
  })
}

function textAt(document: Value, path: string): string {
  const keys = path.split('/').slice(1)
  const found = keys.reduce((value, key) => (value as Document)[key] as Value, document)
  return typeof found === 'string' ? found : ''
}

const lineAt = (text: string, line: number) => text.split('\n')[line - 1]

function decide(document: Value, input: Value, options: ConvertOptions = {}): unknown {
  const converted = convert(document, options)
  const { ruleset, decoded } = { ruleset: undefined, decoded: () => undefined, ...converted }
  expect(decoded(), 'as engines decode it').toEqual(ruleset && decodeRuleset(ruleset).ruleset)
  return decideConverted(converted, input)
}

function decideConverted(converted: ReturnType<typeof convert>, input: Value): unknown {
  const ruleset = 'decoded' in converted ? converted.decoded() : undefined
  if (ruleset === undefined) throw new Error(JSON.stringify(converted.problems))
  return createProgram(ruleset, testHost()).decide(input)
}

describe('problems have the step, field and characters of the draft', () => {
  test.each<[string, Value, readonly string[]]>([
    [
      'a syntax error in a condition',
      oneStep({ type: 'decision', branches: [{ id: 'b', condition: 'age >= \n&& vip', nextStepId: 'done' }] }),
      ['error unexpected-token /steps/0/branches/0/condition "&&" (s)'],
    ],
    [
      'an unknown function in an assignment',
      oneStep({ type: 'action', assignments: [{ name: 'x', value: '1 + uper(name)' }] }),
      ['error unknown-function /steps/0/assignments/0/value "uper" (s)'],
    ],
    [
      'a division by zero, as a warning',
      oneStep({ type: 'action', assignments: [{ name: 'x', value: 'a / 0' }] }),
      ['warning division-by-zero /steps/0/assignments/0/value "0" (s)'],
    ],
    [
      'a target that does not exist',
      oneStep({ type: 'action', assignments: [{ name: 'x', value: '1' }], nextStepId: 'dome' }),
      ['error unknown-step /steps/0/nextStepId (s)'],
    ],
    [
      'a missing target',
      {
        config: { name: 'test' },
        startStepId: 's',
        steps: [{ id: 's', type: 'action', assignments: [{ name: 'x', value: '1' }] }],
      },
      ['error missing-target /steps/0/nextStepId (s)'],
    ],
    [
      'a bare word in a cell',
      oneStep(table([{ id: 'r', cells: { in: 'DE' } }])),
      ['error cell-not-literal /steps/0/rows/0/cells/in "DE" (s)'],
    ],
    [
      'a mistake behind the question mark',
      oneStep(table([{ id: 'r', cells: { in: ' ? a == == 1' } }])),
      ['error unexpected-token /steps/0/rows/0/cells/in "==" (s)'],
    ],
    ...(
      [
        ['? a) || (true', ')', 'unexpected-token'],
        ['? a == 1) || (a == 2', ')', 'unexpected-token'],
        ['? (a == 1', '', 'unexpected-token'],
        ['? a == 1)', ')', 'unexpected-token'],
        ['? a == 1 &&', '', 'unexpected-token'],
        ['? a == 1 // or not', '// or not', 'comment'],
      ] as const
    ).map(([cell, shown, code]): [string, Document, readonly string[]] => [
      `the cell \`${cell}\`, which is no condition alone`,
      oneStep(table([{ id: 'r', cells: { in: cell } }])),
      [`error ${code} /steps/0/rows/0/cells/in "${shown}" (s)`],
    ]),
    [
      'a cell of another type than its column',
      oneStep(table([{ id: 'r', cells: { in: '> "x"' } }])),
      ['error cell-type /steps/0/rows/0/cells/in (s)'],
    ],
    [
      'a column of an unknown type',
      oneStep({ ...table([]), columns: [{ id: 'in', kind: 'input', field: 'age', type: 'numbr' }] }),
      ['error unknown-type /steps/0/columns/0/type (s)'],
    ],
    [
      'an aggregate in a table that does not collect',
      oneStep({ ...table([row('r', '1')]), aggregate: 'sum' }),
      ['warning unused-aggregate /steps/0/aggregate (s)'],
    ],
    [
      'bounds the wrong way round',
      oneStep(table([{ id: 'r', cells: { in: '[5..1]' } }])),
      ['error bad-interval /steps/0/rows/0/cells/in "[5..1]" (s)'],
    ],
    [
      'a row of its own way in a table that collects',
      oneStep({ ...table([{ id: 'r', cells: { out: '1' }, nextStepId: 'done' }]), hitPolicy: 'collect' }),
      ['error row-target /steps/0/rows/0/nextStepId (s)'],
    ],
    ['rows of one id', oneStep(table([row('r', '1'), row('r', '2')])), ['error duplicate-id /steps/0/rows/1/id (s)']],
    [
      'a cell of no column',
      oneStep(table([{ id: 'r', cells: { in: '1', gone: '1' } }])),
      ['warning unknown-column /steps/0/rows/0/cells/gone (s)'],
    ],
    [
      'a computed log message',
      oneStep({ type: 'action', assignments: [], logging: { message: 'a + 1' } }),
      ['error computed-log /steps/0/logging/message (s)'],
    ],
    [
      'a call without a service',
      oneStep({ type: 'action', externalCalls: [{ type: 'grpc', target: '#go' }] }),
      ['error bad-call-target /steps/0/externalCalls/0/target (s)'],
    ],
    [
      'a name that the engine refuses',
      { ...oneStep({ type: 'action', assignments: [{ name: 'x', value: '1' }] }), config: { name: 'a b' } },
      ['error bad-name /config/name'],
    ],
    [
      'a variable that cannot be one',
      oneStep({ type: 'action', assignments: [{ name: 'a b', value: '1' }] }),
      ['error bad-variable-name /steps/0/assignments/0 (s)'],
    ],
    [
      'sub-rules in a circle',
      oneStep({ type: 'sub_rule', refName: 'a' }, { subRules: { a: using('b'), b: using('a') } }),
      ['error sub-rule-cycle /subRules/b/steps/0/refName (u)'],
    ],
    [
      'an unknown sub-rule',
      oneStep({ type: 'sub_rule', refName: 'a' }),
      ['error unknown-sub-rule /steps/0/refName (s)'],
    ],
    [
      'a step that no way leads to',
      { config: { name: 'test' }, startStepId: 'done', steps: [DONE, { id: 'x', type: 'terminal', code: 'X' }] },
      ['warning unreachable-step /steps/1 (x)'],
    ],
  ])('%s', (_what, document, expected) => {
    expect(marked(document)).toEqual(expected)
  })

  test('eleven sub-rules within each other are refused, ten are not', () => {
    const nested = (count: number) =>
      oneStep(
        { type: 'sub_rule', refName: 'n1' },
        {
          subRules: Object.fromEntries(
            Array.from({ length: count }, (_, index) => [
              `n${index + 1}`,
              index + 1 === count
                ? { startStepId: 'e', steps: [{ id: 'e', type: 'terminal' }] }
                : using(`n${index + 2}`),
            ]),
          ),
        },
      )
    const errors = (count: number) => convert(nested(count)).problems.filter(({ severity }) => severity === 'error')
    // Only the innermost terminal lacks a code.
    expect(errors(10).map(({ code }) => code)).not.toContain('nested-too-deeply')
    expect(errors(11).map(({ code }) => code)).toContain('nested-too-deeply')
  })
})

function table(rows: readonly Value[]): Document {
  const columns = [
    { id: 'in', kind: 'input', field: 'a', type: 'number' },
    { id: 'out', kind: 'output', field: 'x' },
  ]
  return { type: 'table', hitPolicy: 'first', columns, rows }
}

const row = (id: string, cell: string): Value => ({ id, cells: { in: cell, out: `"${id}"` } })

function using(refName: string): Document {
  const end = { id: 'e', type: 'terminal', code: '' }
  return { startStepId: 'u', steps: [{ id: 'u', type: 'sub_rule', refName, nextStepId: 'e' }, end] }
}

describe('tables decide by their hit policy', () => {
  const SHOWN: Value = { id: 'done', type: 'terminal', code: 'DONE', output: [{ name: 'x', value: '$x' }] }
  const deciding = (rows: readonly Value[], more: Document): Document => ({
    config: { name: 'test' },
    startStepId: 's',
    steps: [
      { id: 's', nextStepId: 'done', ...table(rows), ...more },
      SHOWN,
      { id: 'other', type: 'terminal', code: 'OTHER' },
    ],
  })
  const result = (x: Value) => ({ code: 'DONE', message: '', output: { x } })
  const ROWS = [row('low', '<= 2'), row('mid', '[2..5)'), row('odd', 'in [1, 3]')]

  test.each<[string, Document, Value, unknown]>([
    ['first: the first row that matches', deciding(ROWS, {}), { a: 2 }, result('low')],
    ['first: nothing is set without a match', deciding(ROWS, {}), { a: 9 }, result(null)],
    [
      'first: no match has its own way',
      deciding(ROWS, { defaultNextStepId: 'other' }),
      { a: 9 },
      { code: 'OTHER', message: '', output: {} },
    ],
    [
      'first: a row has its own way',
      deciding([{ id: 'r', cells: { in: '' }, nextStepId: 'other' }], {}),
      {},
      { code: 'OTHER', message: '', output: {} },
    ],
    [
      'first: a disabled row is left out',
      deciding([{ ...(row('low', '') as Document), disabled: true }, row('mid', '')], {}),
      {},
      result('mid'),
    ],
    [
      'first: an interval between integers beyond 2^53',
      deciding([row('in', '(9007199254740992..9007199254740994)')], {}),
      { a: 9007199254740993n },
      result('in'),
    ],
    [
      'first: more warnings than the limit are not errors',
      deciding(
        Array.from({ length: 1100 }, (_, index) => row(`r${index}`, '')),
        {},
      ),
      { a: 1 },
      result('r0'),
    ],
    ['unique: the one row', deciding(ROWS, { hitPolicy: 'unique' }), { a: 4 }, result('mid')],
    [
      'unique: no match',
      deciding(ROWS, { hitPolicy: 'unique', defaultNextStepId: 'other' }),
      { a: 9 },
      { code: 'OTHER', message: '', output: {} },
    ],
    [
      'collect: the list in the order of rows',
      deciding(ROWS, { hitPolicy: 'collect' }),
      { a: 2 },
      result(['low', 'mid']),
    ],
    ['collect: no match', deciding(ROWS, { hitPolicy: 'collect' }), { a: 9 }, result([])],
    ['collect: count', deciding(ROWS, { hitPolicy: 'collect', aggregate: 'count' }), { a: 1 }, result(2)],
    ['collect: count of none', deciding(ROWS, { hitPolicy: 'collect', aggregate: 'count' }), { a: 9 }, result(0)],
    ['collect: sum of none', deciding(ROWS, { hitPolicy: 'collect', aggregate: 'sum' }), { a: 9 }, result(0)],
    ['collect: min of none', deciding(ROWS, { hitPolicy: 'collect', aggregate: 'min' }), { a: 9 }, result(null)],
    ['collect: max of none', deciding(ROWS, { hitPolicy: 'collect', aggregate: 'max' }), { a: 9 }, result(null)],
  ])('%s', (_what, document, input, expected) => {
    expect(decide(document, input)).toEqual(expected)
  })

  test('unique: two matches are an error that names the rows', () => {
    expect(() => decide(deciding(ROWS, { hitPolicy: 'unique' }), { a: 3 })).toThrow('rows mid, odd of table `s` match')
  })

  test.each(['sum', 'min', 'max'])('collect: %s of texts is an error', (aggregate) => {
    expect(() => decide(deciding(ROWS, { hitPolicy: 'collect', aggregate }), { a: 1 })).toThrow(/number/)
  })
})

test('external calls are those of the appendix', () => {
  const calls = [
    {
      type: 'http',
      target: 'PUT https://a.example/x',
      params: { n: 'a + 1' },
      resultVariable: 'r',
      timeout: 5,
      retry: 3,
    },
    { type: 'http', target: 'https://a.example' },
    { type: 'function', target: 'risk#score', params: { n: 'a' } },
    { type: 'function', target: 'risk' },
    { type: 'grpc', target: 'pkg.Service::Check' },
    { type: 'grpc', target: 'pkg.Service' },
  ]
  const { ruleset } = { ruleset: undefined, ...convert(oneStep({ type: 'action', externalCalls: calls })) }
  const step = (ruleset ?? {})['steps'] as Document
  expect((step['s'] as Document)['actions']).toEqual([
    {
      action: 'external_call',
      service: 'network.http',
      method: 'put',
      params: [
        ['url', '"https://a.example/x"'],
        ['json_body', '{"n": a + 1}'],
      ],
      result_variable: 'r',
      timeout_ms: 5,
    },
    { action: 'external_call', service: 'network.http', method: 'post', params: [['url', '"https://a.example"']] },
    { action: 'external_call', service: 'risk', method: 'score', params: [['n', 'a']] },
    { action: 'external_call', service: 'risk', method: 'invoke', params: [] },
    { action: 'external_call', service: 'pkg.Service', method: 'Check', params: [] },
    { action: 'external_call', service: 'pkg.Service', method: 'call', params: [] },
  ])
})

describe('sub-rules of the project', () => {
  const GRADE: Document = {
    startStepId: 'g',
    steps: [
      { id: 'g', type: 'action', assignments: [{ name: 'grade', value: 'points * 2' }], nextStepId: 'e' },
      { id: 'e', type: 'terminal', code: '' },
    ],
  }
  const subRules: ReadonlyMap<string, DraftGraph> = new Map([['grade', decodeGraph(GRADE).graph as DraftGraph]])
  const use: Document = {
    type: 'sub_rule',
    refName: 'grade',
    bindings: [{ name: 'points', value: 'age' }],
    outputs: [{ name: 'grade', to: 'mine' }],
  }
  const document = {
    config: { name: 'test' },
    startStepId: 's',
    steps: [
      { id: 's', nextStepId: 'done', ...use },
      { id: 'done', type: 'terminal', code: 'DONE', output: [{ name: 'mine', value: '$mine' }] },
    ],
  }

  test('are inlined: an engine needs nothing else', () => {
    const { ruleset } = { ruleset: undefined, ...convert(document, { subRules }) }
    expect(Object.keys(ruleset ?? {})).toEqual(['config', 'steps'])
    expect(decide(document, { age: 4 }, { subRules })).toEqual({ code: 'DONE', message: '', output: { mine: 8 } })
  })

  test('a step of a trace is found in the editor', () => {
    const local = decodeDraft({ ...document, subRules: { grade: GRADE } }).draft
    if (local === undefined) throw new Error('the draft is fine')
    const { editorStep } = convertDraft(local)
    expect(editorStep('s')).toEqual({ path: '/steps/0', step_id: 's' })
    expect(editorStep('s/g')).toEqual({ path: '/subRules/grade/steps/0', step_id: 'g' })
    expect(editorStep('nothing')).toBeUndefined()
  })

  test('their problems stand at the step that uses them', () => {
    const broken = decodeGraph({ ...GRADE, startStepId: 'x' }).graph as DraftGraph
    expect(marked(document, { subRules: new Map([['grade', broken]]) })).toEqual([
      'error unknown-step /steps/0/refName',
    ])
    const [grade, end] = GRADE.steps as readonly Value[]
    const unread = { ...(grade as object), assignments: [{ name: 'grade', value: 'points * * 2' }] }
    const graph = decodeGraph({ ...GRADE, steps: [unread, end ?? null] }).graph as DraftGraph
    const { problems } = convert(document, { subRules: new Map([['grade', graph]]) })
    expect(problems).toMatchObject([
      { path: '/steps/0/refName', severity: 'error', message: expect.stringMatching(/^in the sub-rule `grade`: /) },
    ])
  })

  test('their logs, branches and variables keep their meaning', () => {
    const graph = decodeGraph({
      startStepId: 'log',
      steps: [
        { id: 'log', type: 'action', logging: { message: '"graded"', level: 'warn' }, nextStepId: 'ask' },
        {
          id: 'ask',
          type: 'decision',
          branches: [{ id: 'b', condition: 'points > 3', nextStepId: 'up' }],
          defaultNextStepId: 'down',
        },
        { id: 'up', type: 'action', assignments: [{ name: 'grade', value: '"up"' }], nextStepId: 'e' },
        { id: 'down', type: 'action', assignments: [{ name: 'grade', value: '"down"' }], nextStepId: 'e' },
        { id: 'e', type: 'terminal', code: '' },
      ],
    }).graph as DraftGraph
    // The name under which the variable of the sub-rule would be written is taken.
    const taken = { id: 'first', type: 'action', assignments: [{ name: '_s_grade', value: '7' }], nextStepId: 's' }
    const [used, done] = document.steps as readonly Value[]
    const output = [
      { name: 'mine', value: '$mine' },
      { name: 'taken', value: '$_s_grade' },
    ]
    const whole = {
      ...document,
      startStepId: 'first',
      steps: [taken, used ?? null, { ...(done as object), output }],
    }
    const options = { subRules: new Map([['grade', graph]]) }
    const decided = [4, 3].map((age) => decide(whole, { age }, options))
    expect(decided).toMatchObject([{ output: { mine: 'up', taken: 7 } }, { output: { mine: 'down', taken: 7 } }])
    const actions = JSON.stringify(convert(whole, options))
    expect(actions).toContain('{"action":"log","message":"graded","level":"warn"}')
  })
})

test('a draft of the wrong shape is refused with all places', () => {
  const { draft, problems } = decodeDraft({
    config: { name: 5 },
    steps: [{ id: 's', type: 'desicion' }, 7],
    subRules: [],
  })
  expect(draft).toBeUndefined()
  expect(problems.map(({ path, code }) => `${path} ${code}`)).toEqual([
    '/config/name wrong-type',
    '/steps/0/type wrong-type',
    '/steps/1 wrong-type',
    '/subRules wrong-type',
  ])
})

test('a table of 100,000 cells is converted whole, for each hit policy', () => {
  const columns = Array.from({ length: 10 }, (_, index) => ({ id: `c${index}`, kind: 'input', field: `f${index}` }))
  const rows = Array.from({ length: 10_000 }, (_, index) => ({
    id: `r${index}`,
    cells: Object.fromEntries(columns.map(({ id }, at) => [id, at === 0 ? `${index}` : at > 3 ? '' : `>= ${at}`])),
  }))
  for (const hitPolicy of ['first', 'unique', 'collect']) {
    const converted = convert(oneStep({ type: 'table', hitPolicy, columns, rows }))
    expect(converted.problems).toEqual([])
    expect(decideConverted(converted, { f0: 7, f1: 1, f2: 2, f3: 3 })).toMatchObject({ code: 'DONE' })
  }
})

test('a message with braces stays as it is where another one is computed', () => {
  const ends = [
    { id: 'plain', type: 'terminal', code: 'PLAIN', message: '"a {b} c"' },
    { id: 'computed', type: 'terminal', code: 'COMPUTED', message: '"age " + age' },
  ] as const
  const start: DraftStep = {
    id: 'd',
    type: 'decision',
    branches: [{ id: 'b', condition: 'age > 1', nextStepId: 'computed' }],
    defaultNextStepId: 'plain',
  }
  const draft: DraftRuleset = { config: { name: 'm' }, startStepId: 'd', steps: [start, ...ends] }
  const { ruleset, problems } = convertDraft(draft)
  expect(ruleset?.['steps']).toMatchObject({
    plain: { result: { code: 'PLAIN', message: 'a {{b}} c' } },
    computed: { result: { code: 'COMPUTED', message: '{ "age " + age}' } },
  })
  expect(problems).toEqual([])
  const alone = convertDraft({ ...draft, startStepId: 'plain', steps: [ends[0]] })
  expect(alone.ruleset?.['steps']).toMatchObject({ plain: { result: { message: 'a {b} c' } } })
})

test('a result without a code is an error', () => {
  const draft: DraftRuleset = { config: { name: 'm' }, startStepId: 'e', steps: [{ id: 'e', type: 'terminal' }] }
  expect(convertDraft(draft).problems).toMatchObject([
    { code: 'empty-name', message: 'the code is missing', path: '/steps/0/code', severity: 'error' },
  ])
})
