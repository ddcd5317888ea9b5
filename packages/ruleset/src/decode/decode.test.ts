import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { decodeRuleset, rulesetDecoding } from '../decode.ts'
import {
  decoded,
  documentWith,
  problemsOf,
  warningsOf,
  withActions,
  withBranch,
  withResult,
} from './document.testing.ts'

const action = (fields: { readonly [key: string]: Value }) => withActions(fields)
const step = (fields: { readonly [key: string]: Value }) => documentWith({ steps: { first: fields } })
const set = (value: Value) => action({ action: 'set_variable', name: 'x', value })

/** The error, the document, and the complete list of faults: path, code, suggestion. */
const WRONG: readonly (readonly [what: string, document: Value, ...said: string[]])[] = [
  ['a list', [], ' not-an-object'],
  ['a text', 'x', ' not-an-object'],
  ['null', null, ' not-an-object'],
  ['nothing in it', {}, '/config missing-field', '/steps missing-field'],
  ['config is a list', { config: [], steps: {} }, '/config wrong-type', '/steps no-steps'],
  [
    'no name',
    { config: {}, steps: { start: { id: 'start', type: 'terminal', result: { code: 'A', message: '' } } } },
    '/config/name missing-field',
  ],
  ['a name with a slash', documentWith({ config: { name: 'a/b' } }), '/config/name bad-name'],
  ['a name with dots', documentWith({ config: { name: 'a..b' } }), '/config/name bad-name'],
  ['a hidden name', documentWith({ config: { name: '.a' } }), '/config/name bad-name'],
  ['a reserved name', documentWith({ config: { name: 'Tenants' } }), '/config/name bad-name'],
  ['a number as name', documentWith({ config: { name: 7 } }), '/config/name wrong-type'],
  ['a long name', documentWith({ config: { name: 'a'.repeat(129) } }), '/config/name bad-name'],
  ['an empty version', documentWith({ config: { version: '' } }), '/config/version empty'],
  ['a number as version', documentWith({ config: { version: 1 } }), '/config/version wrong-type'],
  ['an unknown entry step', documentWith({ config: { entry_step: 'frist' } }), '/config/entry_step unknown-step'],
  ['a bad mode', documentWith({ config: { field_missing: 'srict' } }), '/config/field_missing not-one-of'],
  [
    'defaults as a list',
    documentWith({ config: { field_missing: 'default', defaults: [] } }),
    '/config/defaults wrong-type',
  ],
  [
    'a default for no path',
    documentWith({ config: { field_missing: 'default', defaults: { 'a +': 1 } } }),
    '/config/defaults/a + bad-default-path',
  ],
  [
    'a default given twice',
    documentWith({ config: { field_missing: 'default', defaults: { 'a.b': 1, '$.a.b': 2 } } }),
    '/config/defaults/$.a.b repeated-default',
  ],
  ['receipt fields as text', documentWith({ config: { receipt_fields: 'a' } }), '/config/receipt_fields wrong-type'],
  [
    'a receipt field that is a number',
    documentWith({ config: { receipt_fields: [1] } }),
    '/config/receipt_fields/0 wrong-type',
  ],
  [
    'a receipt field with an index',
    documentWith({ config: { receipt_fields: ['a[0]'] } }),
    '/config/receipt_fields/0 bad-receipt-field',
  ],
  [
    'a receipt field that is the input',
    documentWith({ config: { receipt_fields: ['$'] } }),
    '/config/receipt_fields/0 bad-receipt-field',
  ],
  [
    'a receipt field of no path',
    documentWith({ config: { receipt_fields: ['a +'] } }),
    '/config/receipt_fields/0 bad-receipt-field',
  ],
  [
    'a receipt field inside another',
    documentWith({ config: { receipt_fields: ['ab', 'a.b', '$.a'] } }),
    '/config/receipt_fields/2 overlapping-receipt-field',
  ],
  [
    'too many receipt fields',
    documentWith({ config: { receipt_fields: Array.from({ length: 33 }, (_, index) => `f${index}`) } }),
    '/config/receipt_fields too-many',
  ],
  ['a negative timeout', documentWith({ config: { timeout_ms: -1 } }), '/config/timeout_ms out-of-range'],
  ['a fractional timeout', documentWith({ config: { timeout_ms: 1.5 } }), '/config/timeout_ms out-of-range'],
  ['no depth at all', documentWith({ config: { max_depth: 0 } }), '/config/max_depth out-of-range'],
  ['too much depth', documentWith({ config: { max_depth: 1e9 } }), '/config/max_depth out-of-range'],
  ['a text as switch', documentWith({ config: { enable_trace: 'yes' } }), '/config/enable_trace wrong-type'],
  ['metadata as text', documentWith({ config: { metadata: 'x' } }), '/config/metadata wrong-type'],
  ['metadata of numbers', documentWith({ config: { metadata: { a: 1 } } }), '/config/metadata/a wrong-type'],
  [
    'steps as a list',
    { config: { name: 'a', entry_step: 'a' }, steps: [] },
    '/config/entry_step unknown-step',
    '/steps wrong-type',
  ],
  ['a step that is null', documentWith({ steps: { more: null } }), '/steps/more wrong-type'],
  ['a step without an id', step({ type: 'decision', default_next: 'end' }), '/steps/first/id missing-field'],
  [
    'an id that is not the key',
    step({ id: 'other', type: 'decision', default_next: 'end' }),
    '/steps/first/id id-mismatch',
  ],
  ['a step without a type', step({ id: 'first' }), '/steps/first/type missing-field'],
  ['a misspelt type', step({ id: 'first', type: 'descision' }), '/steps/first/type not-one-of'],
  ['a number as type', step({ id: 'first', type: 1 }), '/steps/first/type wrong-type'],
  [
    'a decision without a way out',
    step({ id: 'first', type: 'decision', branches: [] }),
    '/steps/first/branches dead-end',
  ],
  [
    'branches as an object',
    step({ id: 'first', type: 'decision', branches: {}, default_next: 'end' }),
    '/steps/first/branches wrong-type',
  ],
  [
    'a branch that is text',
    step({ id: 'first', type: 'decision', branches: ['a'], default_next: 'end' }),
    '/steps/first/branches/0 wrong-type',
  ],
  [
    'an unknown default',
    step({ id: 'first', type: 'decision', branches: [], default_next: 'ned' }),
    '/steps/first/default_next unknown-step',
  ],
  ['a branch to nowhere', withBranch({ next_step: 'nowhere' }), '/steps/first/branches/0/next_step unknown-step'],
  [
    'a branch without a target',
    step({ id: 'first', type: 'decision', branches: [{ condition: 'true' }], default_next: 'end' }),
    '/steps/first/branches/0/next_step missing-field',
  ],
  [
    'a branch without a condition',
    step({ id: 'first', type: 'decision', branches: [{ next_step: 'end' }], default_next: 'end' }),
    '/steps/first/branches/0/condition missing-field',
  ],
  ['an empty condition', withBranch({ condition: ' ' }), '/steps/first/branches/0/condition empty-expression'],
  ['a number as condition', withBranch({ condition: 1 }), '/steps/first/branches/0/condition wrong-type'],
  ['a list as condition', withBranch({ condition: ['a'] }), '/steps/first/branches/0/condition wrong-type'],
  ['half a condition', withBranch({ condition: 'a >' }), '/steps/first/branches/0/condition unexpected-token'],
  ['an assignment', withBranch({ condition: 'a = 1' }), '/steps/first/branches/0/condition wrong-operator'],
  [
    'an unknown function',
    withBranch({ condition: 'lenght(a) > 1' }),
    '/steps/first/branches/0/condition unknown-function',
  ],
  [
    'too many arguments',
    withBranch({ condition: 'upper(a, b) == "A"' }),
    '/steps/first/branches/0/condition wrong-arity',
  ],
  ['an unclosed text', withBranch({ condition: 'a == "x' }), '/steps/first/branches/0/condition unterminated-string'],
  ['a JSON form of nothing', withBranch({ condition: {} }), '/steps/first/branches/0/condition unknown-form'],
  [
    'a JSON form that is unknown',
    withBranch({ condition: { Fild: 'a' } }),
    '/steps/first/branches/0/condition unknown-form',
  ],
  [
    'an unknown operator',
    withBranch({ condition: { Binary: { op: 'Equals', left: 'a', right: 'b' } } }),
    '/steps/first/branches/0/condition/Binary/op unknown-operator',
  ],
  [
    'actions as text',
    step({ id: 'first', type: 'action', actions: 'x', next_step: 'end' }),
    '/steps/first/actions wrong-type',
  ],
  [
    'an action step without a target',
    step({ id: 'first', type: 'action', actions: [] }),
    '/steps/first/next_step missing-field',
  ],
  ['an action that is null', withActions(null), '/steps/first/actions/0 wrong-type'],
  ['an action without a word', action({}), '/steps/first/actions/0/action missing-field'],
  [
    'an unknown action',
    action({ action: 'set_varible', name: 'x', value: 1 }),
    '/steps/first/actions/0/action not-one-of',
  ],
  [
    'a variable without a name',
    action({ action: 'set_variable', value: 1 }),
    '/steps/first/actions/0/name missing-field',
  ],
  [
    'a variable that cannot be read',
    action({ action: 'set_variable', name: 'a b', value: 1 }),
    '/steps/first/actions/0/name bad-variable-name',
  ],
  [
    'a variable without a value',
    action({ action: 'set_variable', name: 'x' }),
    '/steps/first/actions/0/value missing-field',
  ],
  ['a list as value', set([1]), '/steps/first/actions/0/value list-as-expression'],
  ['an empty value', set(''), '/steps/first/actions/0/value empty-expression'],
  ['a log without a message', action({ action: 'log' }), '/steps/first/actions/0/message missing-field'],
  [
    'a bad log level',
    action({ action: 'log', message: 'x', level: 'warning' }),
    '/steps/first/actions/0/level not-one-of',
  ],
  ['a metric without a name', action({ action: 'metric', value: 1 }), '/steps/first/actions/0/name missing-field'],
  [
    'a tag that is not a pair',
    action({ action: 'metric', name: 'a', value: 1, tags: [['a']] }),
    '/steps/first/actions/0/tags/0 not-a-pair',
  ],
  [
    'a tag given twice',
    action({
      action: 'metric',
      name: 'a',
      value: 1,
      tags: [
        ['a', 'b'],
        ['a', 'c'],
      ],
    }),
    '/steps/first/actions/0/tags/1/0 repeated-name',
  ],
  [
    'a call without a service',
    action({ action: 'external_call', method: 'm' }),
    '/steps/first/actions/0/service missing-field',
  ],
  [
    'a call that waits for hours',
    action({ action: 'external_call', service: 's', method: 'm', timeout_ms: 1e8 }),
    '/steps/first/actions/0/timeout_ms out-of-range',
  ],
  [
    'parameters as an object',
    action({ action: 'external_call', service: 's', method: 'm', params: {} }),
    '/steps/first/actions/0/params wrong-type',
  ],
  [
    'a parameter given twice',
    action({
      action: 'external_call',
      service: 's',
      method: 'm',
      params: [
        ['a', 1],
        ['a', 2],
      ],
    }),
    '/steps/first/actions/0/params/1/0 repeated-name',
  ],
  [
    'a call of no ruleset',
    action({ action: 'call_ruleset', result_variable: 'x' }),
    '/steps/first/actions/0/ruleset_name missing-field',
  ],
  [
    'a call of an impossible ruleset',
    action({ action: 'call_ruleset', ruleset_name: '../x', result_variable: 'x' }),
    '/steps/first/actions/0/ruleset_name bad-name',
  ],
  [
    'a call whose result is lost',
    action({ action: 'call_ruleset', ruleset_name: 'x' }),
    '/steps/first/actions/0/result_variable missing-field',
  ],
  [
    'a terminal without a result',
    documentWith({ steps: { end: { id: 'end', type: 'terminal' } } }),
    '/steps/end/result missing-field',
  ],
  ['a result that is text', withResult('x'), '/steps/end/result wrong-type'],
  [
    'a result without code and message',
    withResult({}),
    '/steps/end/result/code missing-field',
    '/steps/end/result/message missing-field',
  ],
  ['a number as code', withResult({ code: 1, message: '' }), '/steps/end/result/code wrong-type'],
  [
    'an output given twice',
    withResult({
      code: 'A',
      message: '',
      output: [
        ['a', '1'],
        ['a', '2'],
      ],
    }),
    '/steps/end/result/output/1/0 repeated-name',
  ],
  [
    'an output together with a field of its name',
    withResult({ code: 'A', message: '', a: 1, output: [['a', '1']] }),
    '/steps/end/result/output/0/0 repeated-name',
  ],
  [
    'an output that is not an expression',
    withResult({ code: 'A', message: '', output: [['a', '1 +']] }),
    '/steps/end/result/output/0/1 unexpected-token',
  ],
  [
    'an open brace in a template',
    withResult({ code: 'A', message: 'a {b' }, { message_templates: true }),
    '/steps/end/result/message open-placeholder',
  ],
  [
    'a lone brace in a template',
    withResult({ code: 'A', message: 'a }b' }, { message_templates: true }),
    '/steps/end/result/message lone-brace',
  ],
  [
    'nothing in the braces',
    withResult({ code: 'A', message: 'a {}' }, { message_templates: true }),
    '/steps/end/result/message empty-placeholder',
  ],
]

describe('an invalid document is refused with all its errors and their places', () => {
  test(`the table has ${WRONG.length} rows`, () => expect(WRONG.length).toBeGreaterThanOrEqual(60))

  test.for(WRONG)('%s', ([, document, ...said]) => {
    const { ruleset, problems } = decodeRuleset(document)
    expect(problems.map(({ path, code }) => `${path} ${code}`)).toEqual(said)
    expect(ruleset).toBeUndefined()
    for (const { message } of problems) expect(message).toMatch(/^[^.]*[^.\s]/s)
  })

  test('all together, in the order of the document', () => {
    const branches = [
      { condition: 'a >', next_step: 'x' },
      { condition: 'uper(a)', next_step: 'end' },
    ]
    const document = documentWith({
      config: { field_missing: 'no', timeout_ms: 'soon' },
      steps: {
        first: { id: 'first', type: 'decision', branches },
        end: { id: 'end', type: 'terminal', result: { code: 'A' } },
      },
    })
    expect(problemsOf(document).map((line) => line.split(':')[0])).toEqual([
      '/config/field_missing not-one-of',
      '/config/timeout_ms out-of-range',
      '/steps/first/branches/0/condition unexpected-token',
      '/steps/first/branches/0/next_step unknown-step',
      '/steps/first/branches/1/condition unknown-function',
      '/steps/end/result/message missing-field',
    ])
  })

  test('with the correction', () => {
    expect(problemsOf(withBranch({ next_step: 'ned' }))).toEqual([
      '/steps/first/branches/0/next_step unknown-step: there is no step `ned`; did you mean `end`?',
    ])
    expect(decodeRuleset(withBranch({ condition: 'lenght(a) > 1' })).problems[0]?.suggestion).toBe('len')
  })

  test('with line and column of the expression', () => {
    const [problem] = decodeRuleset(withBranch({ condition: 'a == 1 &&\n  b = 2' })).problems
    expect(problem).toMatchObject({ line: 2, column: 5 })
  })
})

describe('an odd document is accepted with warnings', () => {
  test.each<[what: string, document: Value, said: readonly string[]]>([
    [
      'unknown fields',
      documentWith({ config: { descripton: 'x' }, rest: { layout: 1 } }),
      ['/layout unknown-field', '/config/descripton unknown-field'],
    ],
    ['null as condition', withBranch({ condition: null }), ['/steps/first/branches/0/condition null-condition']],
    [
      'a branch behind one that is always taken',
      step({
        id: 'first',
        type: 'decision',
        branches: [
          { condition: 'true', next_step: 'end' },
          { condition: 'a', next_step: 'end' },
        ],
      }),
      ['/steps/first/branches/1 branch-after-always'],
    ],
    ['no actions', withActions(), ['/steps/first no-actions']],
    [
      'defaults that nothing uses',
      documentWith({ config: { defaults: { a: 1 } } }),
      ['/config/defaults unused-defaults'],
    ],
    [
      'a variable that nothing sets',
      withBranch({ condition: '$a > 1' }),
      ['/steps/first/branches/0/condition unset-variable'],
    ],
    [
      'a step that nothing reaches',
      documentWith({ steps: { lost: { id: 'lost', type: 'terminal', result: { code: 'A', message: '' } } } }),
      ['/steps/lost unreachable-step'],
    ],
    [
      'an output that is nearly evaluated',
      withResult({ code: 'A', message: '', output: [['a', '1'], 'b'] }),
      ['/steps/end/result/output nearly-pairs'],
    ],
    [
      'a loop that nothing can end',
      step({ id: 'first', type: 'decision', branches: [{ condition: 'a', next_step: 'end' }], default_next: 'first' }),
      ['/steps/first endless-loop'],
    ],
  ])('%s', (_what, document, said) => expect(warningsOf(document).map((line) => line.split(':')[0])).toEqual(said))
})

/** A document with a decision of this many branches. */
function decisionOf(count: number, condition: (index: number) => Value): Value {
  const all = Array.from({ length: count }, (_, index) => ({ condition: condition(index), next_step: 'end' }))
  return documentWith({ steps: { first: { id: 'first', type: 'decision', branches: all, default_next: 'end' } } })
}

describe('what one document may hold', () => {
  const branch = { condition: 'x == 1', next_step: 'end' }
  const list = (items: number) => `x in [${Array.from({ length: items }, (_, index) => index).join()}]`
  test.each<[what: string, document: Value, said: string]>([
    [
      'branches',
      documentWith({
        steps: Object.fromEntries(
          ['first', 'second', 'third'].map((id) => [
            id,
            { id, type: 'decision', branches: Array.from({ length: 7000 }, () => branch) },
          ]),
        ),
      }),
      '/steps/third/branches too-many',
    ],
    [
      'items of lists',
      documentWith({
        steps: {
          first: {
            id: 'first',
            type: 'decision',
            branches: Array.from({ length: 12 }, () => ({ ...branch, condition: list(9000) })),
          },
        },
      }),
      '/steps/first/branches/11/condition too-many',
    ],
    [
      'values given as they are',
      withResult({
        code: 'A',
        message: '',
        a: Array.from({ length: 50_000 }, () => []),
        b: Array.from({ length: 50_000 }, () => 1),
      }),
      '/steps/end/result/b too-many-constants',
    ],
    ['values', documentWith({ rest: { x: Array.from({ length: 1_000_000 }, () => 0) } }), ' too-many'],
  ])('too many %s', (_what, document, said) =>
    expect(problemsOf(document).map((line) => line.split(':')[0])).toEqual([said]),
  )

  test('warnings of thousands of unknown fields take time linear in their number', () => {
    const config = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`nam${index}`, 0]))
    const warnings = warningsOf(documentWith({ config }))
    expect([warnings.length, warnings.at(-1)]).toEqual([1001, ' more: 89000 more not shown'])
  })

  const patterns = Array.from({ length: 400 }, (_, index) => `matches(a, "(a?){700}${index}")`).join(' || ')
  test.each<[what: string, condition: Value]>([
    ['text', patterns],
    ['form', { Binary: { op: 'Or', left: { Field: 'a' }, right: patterns } }],
  ])('patterns that would take long to compile, in a %s', (_what, condition) =>
    expect(problemsOf(withBranch({ condition }))).toEqual([
      expect.stringContaining('/steps/first/branches/0/condition too-large: the regular expressions'),
    ]),
  )

  test.each<[what: string, document: Value, pieces: number]>([
    ['forms', decisionOf(40, () => ({ Array: [{ Field: `a${'.b'.repeat(20_000)}` }] })), 40],
    ['patterns', decisionOf(40, (index) => `matches(a, "(a?){700}${index}")`), 10],
    ['placeholders', withResult({ code: 'A', message: '{a}'.repeat(20_000) }, { message_templates: true }), 10],
  ])('%s take their time in turns with others', (_what, document, pieces) => {
    const work = rulesetDecoding(document)
    let count = 1
    while (work.advance(32 * 1024) === undefined) count++
    expect(count).toBeGreaterThan(pieces)
  })

  test.each<[what: string, document: Value, shown: number, last: string]>([
    ['expression', withBranch({ condition: '@'.repeat(60_000) }), 1000, 'column 1000 of the expression)'],
    [
      'template',
      withResult({ code: 'A', message: '{@}'.repeat(20_000) }, { message_templates: true }),
      1001,
      ' more: 19000 more not shown',
    ],
  ])('an %s of mistakes is read in time linear in its length', (_what, document, shown, last) => {
    const problems = problemsOf(document)
    expect([problems.length, problems.at(-1)]).toEqual([shown, expect.stringContaining(last)])
  })

  test('decoding in pieces reports the same as in one go', () => {
    for (const document of [
      documentWith({ config: { nme: 1 } }),
      withBranch({ condition: 'a ==' }),
      documentWith({ steps: { first: {} } }),
      withActions({ action: 'set_variable', name: 'x', value: '$y' }),
    ]) {
      const text = JSON.stringify(document, undefined, 2)
      const work = rulesetDecoding(document, { text })
      let result: ReturnType<typeof decodeRuleset> | undefined
      while (result === undefined) result = work.advance(1)
      expect(result).toEqual(decodeRuleset(document, { text }))
    }
  })
})

describe('omitted members have their defaults', () => {
  test('in config', () =>
    expect(
      decoded({
        config: { name: 'a' },
        steps: { start: { id: 'start', type: 'terminal', result: { code: 'A', message: 'b' } } },
      }).config,
    ).toEqual({
      name: 'a',
      version: '1.0.0',
      entryStep: 'start',
      description: null,
      fieldMissing: 'lenient',
      defaults: new Map(),
      timeoutMs: 5000,
      maxDepth: 1000,
      enableTrace: false,
      messageTemplates: false,
      numbers: 'double',
      receiptFields: [],
      contract: undefined,
      tenantId: null,
      metadata: new Map(),
    }))

  test('receipt fields are names joined by dots', () =>
    expect(decoded(documentWith({ config: { receipt_fields: ['$.a.b', 'c'] } })).config.receiptFields).toEqual([
      'a.b',
      'c',
    ]))

  test('a step is called by its id', () => expect(decoded(documentWith({})).steps.get('end')?.name).toBe('end'))
})
