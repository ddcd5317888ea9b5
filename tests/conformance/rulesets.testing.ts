import type { Value } from '@engine/expression'
import fc from 'fast-check'
import { decide } from '../../conformance/reference/ruleset.ts'
import { Failure, json, Unsupported, type Value as ReferenceValue } from '../../conformance/reference/value.ts'
import { expressionText } from './expressions.testing.ts'
import { decoded, NOW, zeroless } from './product.testing.ts'

type Document = { readonly [key: string]: Value }

/** A decision as JSON, or `error`; undefined: the documents leave it open. */
export function byReference(
  document: Value,
  input: Value,
  others: ReadonlyMap<string, Value> = new Map(),
): string | undefined {
  try {
    const around = { now: NOW, rulesets: others as unknown as ReadonlyMap<string, ReferenceValue> }
    return zeroless(
      json(
        decide(
          document as unknown as ReferenceValue,
          input as unknown as ReferenceValue,
          around,
        ) as unknown as ReferenceValue,
      ),
    )
  } catch (error) {
    if (error instanceof Failure) return 'error'
    if (error instanceof Unsupported) return undefined
    throw error
  }
}

/** Whether a ruleset may be stored with a text: one that is certain to fail is refused. */
export function isStorable(text: string): boolean {
  const result = { code: 'END', message: '', output: [['value', text]] }
  const step = { id: 'start', type: 'terminal', result }
  return decoded({ config: { name: 'text' }, steps: { start: step } }) !== undefined
}

const storedText = expressionText.filter(isStorable)

const variable = fc.constantFrom('v', 'w', 'x')

/** Text, a constant, or a form of JSON. */
const source: fc.Arbitrary<Value> = fc.oneof(
  { weight: 4, arbitrary: storedText },
  fc.integer({ min: -3, max: 9 }),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom<Value>(
    { Field: 'o.n' },
    { Literal: [1, null, 'x'] },
    { Exists: 'absent' },
    { Unary: { op: 'Not', operand: 'a' } },
    { Array: ['a', { Literal: 'x' }] },
    { Object: [['key', 'b']] },
    { Call: { name: 'any', args: ['list', { Lambda: { params: ['x'], body: 'x > 1' } }] } },
    { Member: { object: 'first(items)', path: ['price'] } },
  ),
  fc
    .tuple(storedText, storedText, fc.constantFrom('Add', 'Mul', 'Eq', 'Lt', 'And', 'In', 'NotIn', 'Contains'))
    .map(([left, right, op]): Value => ({ Binary: { op, left, right } })),
  fc
    .tuple(storedText, storedText, storedText)
    .map(([condition, then_branch, else_branch]): Value => ({ Conditional: { condition, then_branch, else_branch } })),
  fc.tuple(storedText, storedText).map(([one, other]): Value => ({ Coalesce: [one, other] })),
)

const setVariable = fc.record({ action: fc.constant('set_variable'), name: variable, value: source })
const callRuleset = fc.record(
  {
    action: fc.constant('call_ruleset'),
    ruleset_name: fc.constantFrom('other', 'other', 'other', 'gone'),
    input_mapping: fc.constantFrom('{"a": a, "b": $v, "list": list}', '{"a": now_millis()}'),
    result_variable: variable,
  },
  { requiredKeys: ['action', 'ruleset_name', 'result_variable'] },
)
const actions = fc.array(fc.oneof({ weight: 4, arbitrary: setVariable }, callRuleset), { maxLength: 3 })

/** Conditions on one path, as an index of branches finds them, and others. */
const condition = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('a', 'b', 'o.n', '$v'),
      fc.constantFrom('==', '<', '<=', '>', '>='),
      fc.constantFrom('0', '1', '2', '3', '"a"', '9007199254740993'),
    )
    .map((parts) => parts.join(' ')),
  fc
    .tuple(fc.constantFrom('a', 'b'), fc.constantFrom('[1, 2]', '["a", null]', '[3, 9007199254740993]'))
    .map((parts) => parts.join(' in ')),
  storedText,
)

const STEPS = ['s0', 's1', 's2', 's3'] as const

/** A graph of up to four steps in front of a terminal; each leads to a later one, or sometimes back. */
const graph = (ends: fc.Arbitrary<Document>, hasSubRules: boolean) => {
  const target = (index: number) => fc.constantFrom(...STEPS.slice(index + 1), 'end', 'end')
  const step = (id: string, index: number): fc.Arbitrary<Document> => {
    const decision = fc.record(
      {
        type: fc.constant('decision'),
        branches: fc.array(
          fc.record({ condition, next_step: target(index), actions }, { requiredKeys: ['condition', 'next_step'] }),
          { minLength: 1, maxLength: 8 },
        ),
        default_next: fc.oneof({ weight: 9, arbitrary: target(index) }, fc.constantFrom(...STEPS)),
      },
      { requiredKeys: ['type', 'branches'] },
    )
    const action = fc.record({ type: fc.constant('action'), actions, next_step: target(index) })
    const bindings = fc.array(
      fc.tuple(fc.constantFrom('a', 'b', 'list'), fc.oneof(fc.constantFrom('a', 'absent', '$v', 'o.n'), storedText)),
      { maxLength: 2 },
    )
    const subRule = fc.record({
      type: fc.constant('sub_rule'),
      ref_name: fc.constant('part'),
      bindings: bindings.map((pairs) =>
        pairs.filter(([name], at) => pairs.findIndex(([other]) => other === name) === at),
      ),
      outputs: fc.constantFrom(
        [['v', 'v']],
        [['x', 'w']],
        [
          ['v', 'w'],
          ['w', 'v'],
        ],
      ),
      next_step: target(index),
    })
    const kinds = hasSubRules ? fc.oneof(decision, action, subRule) : fc.oneof(decision, action)
    return kinds.map((rest) => ({ id, ...rest }))
  }
  return fc
    .tuple(...STEPS.map(step), ends)
    .map(([s0, s1, s2, s3, end]) => ({ s0, s1, s2, s3, end: { id: 'end', ...end } }) as unknown as Document)
}

const terminal: fc.Arbitrary<Document> = fc.record({
  type: fc.constant('terminal'),
  result: fc.oneof(
    fc.record({
      code: fc.constantFrom('END', 'DONE'),
      message: fc.constantFrom('', 'plain {a}', 'of {a}: {{{b}}}', '{$v} and {to_string(list)}'),
      output: fc.tuple(source, source).map(([one, other]) => [
        ['one', one],
        ['v', '$v'],
        ['x', '$x'],
        ['other', other],
      ]),
    }),
    fc.constant({ code: 'PLAIN', message: '', price: 3.5, output: { kept: ['as', 'it', 'is'] } }),
  ),
})

const innerEnd = fc.constant({ type: 'terminal', result: { code: '', message: '' } })

export const ruleset: fc.Arbitrary<Document> = fc
  .record({
    missing: fc.constantFrom('lenient', 'strict', 'default'),
    templates: fc.boolean(),
    depth: fc.constantFrom(1000, 1000, 3, 5),
    steps: graph(terminal, true),
    inner: graph(innerEnd, false),
  })
  .map(({ missing, templates, depth, steps, inner }) => ({
    config: {
      name: 'main',
      entry_step: 's0',
      field_missing: missing,
      message_templates: templates,
      max_depth: depth,
      defaults: { absent: 7, a: 1 },
    },
    steps,
    sub_rules: { part: { entry_step: 's0', steps: inner } },
  }))

/** The ruleset that others call. */
export const OTHER: Document = {
  config: { name: 'other', entry_step: 'end' },
  steps: {
    end: {
      id: 'end',
      type: 'terminal',
      result: {
        code: 'OTHER',
        message: 'called',
        output: [
          ['a', 'a'],
          ['at', 'now()'],
          ['n', 'len(coalesce(list, []))'],
        ],
      },
    },
  },
}

/** Rulesets that generated ones once differed in, and their inputs. */
export const FIXED: readonly (readonly [ruleset: Document, inputs: readonly Value[]])[] = (
  ['lenient', 'strict'] as const
).flatMap((missing) =>
  ['prices', '$'].map((read): readonly [Document, readonly Value[]] => [
    boundTo('items.*.price', read, missing),
    [{ items: [] }, { items: [{ price: 2 }] }, { items: [{ price: 2 }, {}] }, { items: 'none' }, {}],
  ]),
)

/** A sub-rule that returns one reading of its input. The field `prices` is bound to a path. */
function boundTo(path: string, read: string, missing: string): Document {
  const step = (id: string, rest: Document) => ({ id, ...rest })
  const set = step('set', {
    type: 'action',
    actions: [{ action: 'set_variable', name: 'read', value: read }],
    next_step: 'end',
  })
  const result = { code: 'READ', message: '', output: [['read', '$read']] }
  return {
    config: { name: 'main', entry_step: 'use', field_missing: missing },
    steps: {
      use: step('use', {
        type: 'sub_rule',
        ref_name: 'part',
        bindings: [['prices', path]],
        outputs: [['read', 'read']],
        next_step: 'end',
      }),
      end: step('end', { type: 'terminal', result }),
    },
    sub_rules: {
      part: {
        entry_step: 'set',
        steps: { set, end: step('end', { type: 'terminal', result: { code: '', message: '' } }) },
      },
    },
  }
}
