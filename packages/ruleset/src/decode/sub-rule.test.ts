import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../create-program.ts'
import { decodeRuleset } from '../decode.ts'
import { testHost } from '../host.testing.ts'

type Json = { readonly [key: string]: Value }

const terminal = (id: string, output: Value = []): Json => ({
  id,
  type: 'terminal',
  result: { code: id.toUpperCase(), message: '', output },
})
const set = (id: string, values: Json, next: string): Json => ({
  id,
  type: 'action',
  actions: Object.entries(values).map(([name, value]) => ({ action: 'set_variable', name, value })),
  next_step: next,
})
const decide = (id: string, branches: readonly (readonly [string, string])[], next?: string): Json => ({
  id,
  type: 'decision',
  branches: branches.map(([condition, target]) => ({ condition, next_step: target })),
  ...(next === undefined ? {} : { default_next: next }),
})
const use = (id: string, refName: string, bindings: Json, outputs: Json, next: string): Json => ({
  id,
  type: 'sub_rule',
  ref_name: refName,
  bindings: Object.entries(bindings),
  outputs: Object.entries(outputs),
  next_step: next,
})
const graph = (...steps: readonly Json[]) => Object.fromEntries(steps.map((step) => [step['id'] as string, step]))
const subRule = (...steps: readonly Json[]) => ({ entry_step: steps[0]?.['id'] ?? '', steps: graph(...steps) })

function documentOf(steps: readonly Json[], subRules: Json, config: Json = {}): Json {
  return {
    config: { name: 'r', entry_step: steps[0]?.['id'] ?? '', ...config },
    steps: graph(...steps),
    sub_rules: subRules,
  }
}

/** Code and output, or the failure's message; identical when interpreted and compiled. */
function decided(document: Json, input: Json): unknown {
  const { ruleset, problems } = decodeRuleset(document)
  if (ruleset === undefined) throw new Error(JSON.stringify(problems))
  const [compiled, interpreted] = [testHost(), testHost({ makeFunction: undefined })].map((host) => {
    try {
      const { code, output } = createProgram(ruleset, host).decide(input) as { code: string; output: Value }
      return [code, output]
    } catch (error) {
      return (error as Error).message
    }
  })
  expect(compiled).toEqual(interpreted)
  return compiled
}

const GRADE = subRule(
  decide('check', [['score >= limit', 'good']], 'bad'),
  set('good', { grade: '"A"' }, 'end'),
  set('bad', { grade: '"F"', left: 'limit - score' }, 'end'),
  terminal('end', [['never', '1 / zero']]),
)

describe('a sub-rule', () => {
  const document = documentOf(
    [
      use('first', 'grade', { score: 'a.points', limit: '50 + 10' }, { g: 'grade', rest: '$left' }, 'second'),
      use('second', 'grade', { score: 'b', limit: '$g == "A" ? 10 : 90' }, { h: 'grade', rest: 'left' }, 'done'),
      terminal('done', [
        ['g', '$g'],
        ['h', '$h'],
        ['rest', '$rest'],
        ['inner', 'coalesce($grade, "none")'],
      ]),
    ],
    { grade: GRADE },
  )

  test.each<[Json, Json]>([
    [
      { a: { points: 70 }, b: 9 },
      { g: 'A', h: 'F', rest: 1, inner: 'none' },
    ],
    [
      { a: { points: 1 }, b: 95 },
      { g: 'F', h: 'A', rest: 59, inner: 'none' },
    ],
    [
      { a: { points: 70 }, b: 20 },
      { g: 'A', h: 'A', rest: null, inner: 'none' },
    ],
  ])('decides with its bound inputs, and changes only the outputs: %j', (input, output) => {
    expect(decided(document, input)).toEqual(['DONE', output])
  })

  test('decodes without warnings, and its steps have ids of their own in traces', async () => {
    const { ruleset, warnings } = decodeRuleset(document)
    expect(warnings).toEqual([
      // The sub-rule's variable does not belong to the ruleset.
      expect.objectContaining({ code: 'unset-variable', path: '/steps/done/result/output/3/1' }),
    ])
    if (ruleset === undefined) return
    const result = await createProgram(ruleset, testHost()).execute({ a: { points: 1 }, b: 95 }, { trace: true })
    expect(result.trace?.path).toBe(
      'first -> first/check -> first/bad -> first/end -> second -> second/check -> second/good -> second/end -> done',
    )
  })

  test('errors name the step of the copy in which they happened', () => {
    expect(decided(document, { a: { points: 1 }, b: true })).toContain('(step `second/check`)')
    expect(decided(document, { a: { points: '1' }, b: 1 })).toContain('(step `first/check`)')
  })
})

describe('the input of a sub-rule', () => {
  const whole = (bindings: Json, output: string, config: Json = {}) =>
    documentOf(
      [use('u', 's', bindings, { o: 'o' }, 'done'), terminal('done', [['o', '$o']])],
      { s: subRule(set('a', { o: output }, 'end'), terminal('end')) },
      config,
    )

  test.each<[name: string, bindings: Json, output: string, value: unknown]>([
    ['only bound inputs', { x: 'a.b' }, '[x, a, exists(x), exists(a)]', [{ c: [1, 2] }, null, true, false]],
    ['paths into bound inputs', { x: 'a.b' }, '[x.c[1], x.c.*, x.d]', [2, [1, 2], null]],
    ['the whole of it', { x: 'a.b.c', y: '1 + 1' }, '$', { x: [1, 2], y: 2 }],
    ['a path into the whole', { x: 'a.b.c' }, '$.*', [[1, 2]]],
    ['the whole of the caller', { x: '$' }, 'keys(x)', ['a', 'list']],
    ['fields missing at the caller', { x: 'none.b' }, '[exists(x), x.y, is_null(x)]', [false, null, true]],
    ['a wildcard', { x: 'list.*.n' }, 'sum(x)', 6],
    ['a constant', { x: { Literal: [1] } }, 'x[0]', 1],
    ['parameters of functions hide nothing', { x: 'a.b.c', n: '10' }, 'map(x, n => n + $.n)', [11, 12]],
  ])('%s', (_name, bindings, output, value) => {
    const input = { a: { b: { c: [1, 2] } }, list: [{ n: 1 }, { n: 2 }, { n: 3 }] }
    expect(decided(whole(bindings, output), input)).toEqual(['DONE', { o: value }])
  })

  test('strict: a missing field of the caller is named as there', () => {
    const strict = { field_missing: 'strict' }
    expect(decided(whole({ x: 'a.b' }, 'x.c', strict), { a: { b: {} } })).toContain('`a.b.c`')
    expect(decided(whole({ x: 'a.b + 1' }, 'x', strict), { a: {} })).toContain('`a.b`')
    expect(decided(whole({}, 'x', strict), {})).toContain('`$u/x`')
  })

  test('defaults are of paths of the ruleset', () => {
    const defaults = { field_missing: 'default', defaults: { 'a.b': 7, x: 8 } }
    expect(decided(whole({ x: 'a.b' }, 'x', defaults), {})).toEqual(['DONE', { o: 7 }])
    expect(decided(whole({}, 'x', defaults), {})).toEqual(['DONE', { o: null }])
  })

  test('is that of the rulesets which it calls', () => {
    const called = createProgram(
      decodeRuleset(documentOf([terminal('t', [['all', '$']])], {}, { name: 'other' })).ruleset!,
      testHost(),
    )
    const call: Json = {
      id: 'a',
      type: 'action',
      actions: [{ action: 'call_ruleset', ruleset_name: 'other', result_variable: 'o' }],
      next_step: 'end',
    }
    const { ruleset } = decodeRuleset(
      documentOf([use('u', 's', { x: 'a' }, { o: 'o' }, 'done'), terminal('done', [['o', '$o.output.all']])], {
        s: subRule(call, terminal('end')),
      }),
    )
    const host = testHost({ rulesets: { resolve: () => called, generation: 0 } })
    expect(createProgram(ruleset!, host).decide({ a: 1, b: 2 })).toMatchObject({ output: { o: { x: 1 } } })
  })
})

describe('variables', () => {
  test('are null at each entry, and an output that is not set leaves the variable of the caller as it was', () => {
    const document = documentOf(
      [
        set('start', { n: '0', last: '"none"' }, 'u'),
        use('u', 's', { n: '$n' }, { last: 'seen', count: 'count' }, 'next'),
        set('next', { n: '$n + 1' }, 'again'),
        decide('again', [['$n < 4', 'u']], 'done'),
        terminal('done', [
          ['last', '$last'],
          ['count', '$count'],
        ]),
      ],
      {
        s: subRule(
          set('a', { count: 'coalesce($count, 0) + 1' }, 'b'),
          decide('b', [['n % 2 == 0', 'c']], 'end'),
          set('c', { seen: 'n' }, 'end'),
          terminal('end'),
        ),
      },
    )
    expect(decided(document, {})).toEqual(['DONE', { last: 2, count: 1 }])
  })

  test.each<[mode: string, before: Json, answer: unknown]>([
    ['lenient', {}, 'SEEN'],
    ['strict', {}, 'SEEN'],
    ['strict', { v: '7' }, 'DONE'],
  ])('are null in mode %s when an output is, unless the caller had set them: %j', (field_missing, before, code) => {
    const document = documentOf(
      [
        set('start', { other: '1', ...before }, 'u'),
        use('u', 's', {}, { v: 'never' }, 'check'),
        decide('check', [['!$v', 'seen']], 'done'),
        terminal('seen'),
        terminal('done'),
      ],
      { s: subRule(terminal('end')) },
      { field_missing },
    )
    expect(decided(document, {})).toEqual([code, {}])
  })

  test('of nested sub-rules are separate, whatever the steps are called', () => {
    const document = documentOf(
      [
        use('u', 'outer', { x: '1' }, { r: 'v' }, 'u/i'),
        use('u/i', 'inner', { x: '100' }, { q: 'v' }, 'done'),
        terminal('done', [
          ['r', '$r'],
          ['q', '$q'],
        ]),
      ],
      {
        outer: subRule(
          set('a', { v: 'x' }, 'i'),
          use('i', 'inner', { x: '$v + 10' }, { w: 'v' }, 'b'),
          set('b', { v: '[$v, $w]' }, 'end'),
          terminal('end'),
        ),
        inner: subRule(set('a', { v: 'x * 2' }, 'end'), terminal('end')),
      },
    )
    expect(decided(document, {})).toEqual(['DONE', { r: [1, 22], q: 200 }])
  })
})

describe('an error is refused with its place', () => {
  const end = terminal('end')
  const done = terminal('done')
  const problems = (document: Json) =>
    decodeRuleset(document).problems.map(({ path, code, message }) => `${path} ${code}: ${message}`)

  test.each<[name: string, document: Json, found: string[]]>([
    [
      'an unknown sub-rule',
      documentOf([use('u', 'grad', {}, {}, 'done'), done], { grade: subRule(end) }),
      ['/steps/u/ref_name unknown-sub-rule: `sub_rules` has no sub-rule `grad`; did you mean `grade`?'],
    ],
    [
      'steps of another graph',
      documentOf([use('u', 's', {}, {}, 'end'), done], { s: subRule(decide('a', [['true', 'done']]), end) }),
      [
        '/steps/u/next_step unknown-step: there is no step `end`',
        '/sub_rules/s/steps/a/branches/0/next_step unknown-step: there is no step `done`',
      ],
    ],
    [
      'an invalid entry step',
      documentOf([done], { s: { entry_step: 'x', steps: graph(end) } }),
      ['/sub_rules/s/entry_step unknown-step: there is no step `x`'],
    ],
    [
      'circles',
      documentOf([done], {
        a: subRule(use('u', 'b', {}, {}, 'end'), end),
        b: subRule(use('v', 'a', {}, {}, 'end'), end),
        c: subRule(use('w', 'c', {}, {}, 'end'), end),
      }),
      [
        '/sub_rules/b/steps/v/ref_name sub-rule-cycle: this sub-rule uses itself: `a` → `b` → `a`',
        '/sub_rules/c/steps/w/ref_name sub-rule-cycle: this sub-rule uses itself: `c` → `c`',
      ],
    ],
    [
      'eleven within each other',
      documentOf(
        [use('u', 's10', {}, {}, 'done'), done],
        Object.fromEntries(
          Array.from({ length: 11 }, (_, index) => [
            `s${index}`,
            index === 0 ? subRule(end) : subRule(use('u', `s${index - 1}`, {}, {}, 'end'), end),
          ]),
        ),
      ),
      ['/sub_rules/s10/steps/u/ref_name nested-too-deeply: sub-rules are nested more than 10 levels deep here'],
    ],
    [
      'more steps than a ruleset may have',
      documentOf(
        [use('u', 's5', {}, {}, 'done'), done],
        Object.fromEntries(
          Array.from({ length: 6 }, (_, index) => [
            `s${index}`,
            index === 0
              ? subRule(end)
              : subRule(
                  ...Array.from({ length: 9 }, (__, step) =>
                    use(`u${step}`, `s${index - 1}`, {}, {}, step === 8 ? 'end' : `u${step + 1}`),
                  ),
                  end,
                ),
          ]),
        ),
      ),
      ['/sub_rules too-many: at most 10000 steps are allowed, and including every use of a sub-rule there are 132861'],
    ],
    [
      'pairs that are none, and names that cannot be',
      documentOf(
        [
          {
            ...use('u', 's', {}, {}, 'done'),
            bindings: { x: 'a' },
            outputs: ['a', ['1x', 'y'], ['a', 'y'], ['$a', 'y']],
          },
          done,
        ],
        { s: subRule(end) },
      ),
      [
        '/steps/u/bindings wrong-type: must be a list of pairs of a name and an expression, found an object',
        '/steps/u/outputs/0 not-a-pair: must be a pair `["variable", "variable of the sub-rule"]`',
        '/steps/u/outputs/1/0 bad-variable-name: `1x` cannot be a variable: a name is letters, digits and `_`, no digit first',
        '/steps/u/outputs/3/0 repeated-name: the name `a` is given twice',
      ],
    ],
    [
      'sub-rules that are not an object',
      documentOf([done], [] as never),
      ['/sub_rules wrong-type: must be an object from name to sub-rule, found a list'],
    ],
  ])('%s', (_name, document, found) => expect(problems(document)).toEqual(found))

  test('an oddity is a warning at its place', () => {
    const document = documentOf(
      [
        use('u', 's', { x: 'a', unread: 'b' }, { o: 'resul' }, 'done'),
        use('lost', 's', { x: '1', y: '1' }, {}, 'done'),
        terminal('done', [['o', '$o']]),
      ],
      {
        s: subRule(set('a', { result: 'x + y.z + $nowhere' }, 'end'), set('b', {}, 'end'), end),
        spare: subRule(end),
      },
    )
    const { warnings } = decodeRuleset(document)
    expect(warnings.map(({ path, code }) => `${path} ${code}`)).toEqual([
      '/sub_rules/s/steps/b no-actions',
      '/sub_rules/s/steps/a/actions/0/value unset-variable',
      '/steps/u/outputs/0/1 unset-output',
      '/sub_rules/spare unused-sub-rule',
      '/steps/u/bindings unbound-field',
      '/sub_rules/s/steps/b unreachable-step',
      '/steps/lost unreachable-step',
    ])
  })
})
