import { jsonValue, stringifyJson, type Value } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { compareRulesets } from './compare/compare.ts'
import { convertDraft } from './convert/convert.ts'
import { decodeDraft } from './draft/decode.ts'
import { diffDrafts } from './draft/diff.ts'
import { merge3 } from './draft/merge.ts'
import type { DraftRuleset } from './draft/model.ts'
import { edgesOf } from './edit/edges.ts'
import { extractSubRule } from './edit/extract.ts'
import { copySteps } from './edit/fragment.ts'
import { inlineSubRule } from './edit/inline.ts'
import { duplicateSteps, pasteSteps } from './edit/paste.ts'
import { removeStep } from './edit/remove.ts'
import { renameField } from './edit/rename.ts'

/** Malicious drafts and their problem codes; undefined: converted. */
interface Row {
  readonly title: string
  readonly draft: () => Value
  readonly code: string | undefined
}

type Fields = { readonly [key: string]: Value }

const END: Value = { id: 'end', type: 'terminal', code: 'END' }
const draft = (steps: readonly Value[], more: Fields = {}): Value => ({
  config: { name: 'x' },
  startStepId: 's',
  steps: [...steps, END],
  ...more,
})
const step = (more: Fields): Value => ({ id: 's', nextStepId: 'end', ...more })
const action = (id: string, nextStepId: string, assignments: readonly Value[] = []): Value => ({
  id,
  type: 'action',
  assignments,
  nextStepId,
})
const condition = (text: Value): Value =>
  draft([
    step({ type: 'decision', branches: [{ id: 'b', condition: text, nextStepId: 'end' }], defaultNextStepId: 'end' }),
  ])
const use = (id: string, refName: string, nextStepId: string): Value => ({ id, type: 'sub_rule', refName, nextStepId })
const graph = (...steps: readonly Value[]): Value => ({ startStepId: 's', steps: [...steps, END] })
const named = (entries: readonly (readonly [string, Value])[]): Value => Object.fromEntries(entries)
const table = (rows: readonly Value[], more: Fields = {}): Value =>
  draft([
    step({
      type: 'table',
      hitPolicy: 'first',
      columns: [
        { id: 'c', kind: 'input', field: 'age' },
        { id: 'o', kind: 'output', field: 'rate' },
      ],
      rows,
      ...more,
    }),
  ])
const times = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index))
const nested = (depth: number, wrap: (inner: Value) => Value, innermost: Value): Value => {
  let value = innermost
  for (let level = 0; level < depth; level++) value = wrap(value)
  return value
}
/** A chain of sub-rules, each using the next one `width` times. */
const bomb = (depth: number, width: number): Value =>
  draft([use('s', 'r0', 'end')], {
    subRules: named(
      times(depth, (level) => [
        `r${level}`,
        level === depth - 1
          ? graph(action('s', 'end'))
          : graph(
              ...times(width, (index) =>
                use(index === 0 ? 's' : `u${index}`, `r${level + 1}`, index === width - 1 ? 'end' : `u${index + 1}`),
              ),
            ),
      ]),
    ),
  })

const ROWS: readonly Row[] = [
  {
    title: 'steps in a circle that nothing ends',
    draft: () => draft([action('s', 'b'), action('b', 's')]),
    code: undefined,
  },
  { title: 'a step that leads to itself', draft: () => draft([action('s', 's')]), code: undefined },
  {
    title: 'a sub-rule that uses itself',
    draft: () => draft([use('s', 'r', 'end')], { subRules: { r: graph(use('s', 'r', 'end')) } }),
    code: 'sub-rule-cycle',
  },
  {
    title: 'sub-rules in a ring',
    draft: () =>
      draft([use('s', 'r0', 'end')], {
        subRules: named(times(3, (index) => [`r${index}`, graph(use('s', `r${(index + 1) % 3}`, 'end'))])),
      }),
    code: 'sub-rule-cycle',
  },
  { title: 'sub-rules nested 11 deep', draft: () => bomb(11, 1), code: 'nested-too-deeply' },
  { title: 'sub-rules that make 10^9 steps', draft: () => bomb(10, 10), code: 'too-many' },
  {
    title: '9,000 uses of a sub-rule of 100 steps',
    draft: () =>
      draft(
        times(9000, (index) => use(index === 0 ? 's' : `u${index}`, 'r', index === 8999 ? 'end' : `u${index + 1}`)),
        {
          subRules: {
            r: graph(
              ...times(100, (index) => action(index === 0 ? 's' : `a${index}`, index === 99 ? 'end' : `a${index + 1}`)),
            ),
          },
        },
      ),
    code: 'too-many',
  },
  {
    title: 'a step named `__proto__`',
    draft: () => draft([action('s', '__proto__'), action('__proto__', 'end')]),
    code: undefined,
  },
  {
    title: 'a sub-rule named `__proto__`',
    draft: () =>
      draft([use('s', '__proto__', 'end')], {
        subRules: jsonValue(`{"__proto__": ${stringifyJson(graph(action('s', 'end')))}}`),
      }),
    code: undefined,
  },
  {
    title: 'a sub-rule that every object has',
    draft: () => draft([use('s', 'toString', 'end')]),
    code: 'unknown-sub-rule',
  },
  {
    title: 'members named `__proto__` wherever there are any',
    draft: () =>
      jsonValue(
        '{"__proto__": {"steps": 1}, "config": {"name": "x", "__proto__": {"version": 5}}, "startStepId": "s", "steps": [{"id": "s", "type": "terminal", "code": "A", "__proto__": {"code": 5}}]}',
      ),
    code: undefined,
  },
  {
    title: 'a column and cells named `__proto__`',
    draft: () =>
      draft([
        step({
          type: 'table',
          hitPolicy: 'first',
          columns: [{ id: '__proto__', kind: 'input', field: 'age' }],
          rows: [jsonValue('{"id": "__proto__", "cells": {"__proto__": "5"}}')],
        }),
      ]),
    code: undefined,
  },
  {
    title: 'two steps of one id',
    draft: () => draft([action('s', 'end'), action('s', 'end')]),
    code: 'duplicate-id',
  },
  {
    title: 'two rows of one id',
    draft: () =>
      table([
        { id: 'r', cells: {} },
        { id: 'r', cells: {} },
      ]),
    code: 'duplicate-id',
  },
  {
    title: 'two columns of one id',
    draft: () => table([], { columns: times(2, () => ({ id: 'c', kind: 'input', field: 'age' })) }),
    code: 'duplicate-id',
  },
  {
    title: '30,000 rows',
    draft: () => table(times(30_000, (index) => ({ id: `r${index}`, cells: { c: `${index}`, o: '1' } }))),
    code: 'too-many',
  },
  {
    title: '100,000 rows whose matches are counted',
    draft: () =>
      table(
        times(100_000, (index) => ({ id: `r${index}`, cells: { c: `${index}` } })),
        { hitPolicy: 'collect', aggregate: 'count' },
      ),
    code: 'too-many',
  },
  {
    title: '10,000 rows that are all wrong',
    draft: () => table(times(10_000, (index) => ({ id: `r${index}`, cells: { c: 'no literal', o: '1 +' } }))),
    code: 'cell-not-literal',
  },
  {
    title: '50,000 branches',
    draft: () =>
      draft([
        step({
          type: 'decision',
          branches: times(50_000, (index) => ({ id: `b${index}`, condition: 'true', nextStepId: 'end' })),
        }),
      ]),
    code: 'too-many',
  },
  {
    title: '20,000 steps',
    draft: () =>
      draft(
        times(20_000, (index) => action(index === 0 ? 's' : `a${index}`, index === 19_999 ? 'end' : `a${index + 1}`)),
      ),
    code: 'too-many',
  },
  {
    title: '5,000 ways to steps that are not there',
    draft: () => draft(times(5_000, (index) => action(index === 0 ? 's' : `a${index}`, `${index}`.padStart(60, 'x')))),
    code: 'unknown-step',
  },
  {
    title: 'brackets 20,000 deep',
    draft: () => condition(`${'('.repeat(20_000)}1${')'.repeat(20_000)}`),
    code: 'nested-too-deeply',
  },
  { title: 'a negation of 50,000', draft: () => condition(`${'!'.repeat(50_000)}true`), code: 'nested-too-deeply' },
  {
    title: 'a condition of 5 MB',
    draft: () => condition(`age in [${'1, '.repeat(1_700_000)}1]`),
    code: 'text-too-long',
  },
  { title: 'a sum of 15,000 terms', draft: () => condition(`${'1 + '.repeat(15_000)}1 > 5`), code: 'chain-too-long' },
  {
    title: 'condition objects 5,000 deep',
    draft: () =>
      condition(nested(5_000, (inner) => ({ type: 'not', condition: inner }), { type: 'constant', value: true })),
    code: 'nested-too-deeply',
  },
  { title: 'a pattern that would take forever', draft: () => condition('matches(age, "^(a+)+$")'), code: undefined },
  {
    title: 'a message that is not text',
    draft: () => draft([step({ type: 'terminal', code: 'A', message: '{"a": 1}' })]),
    code: undefined,
  },
  {
    title: 'names that close the code around them',
    draft: () => draft([action('s', 'end', [{ name: "x'); throw new Error('", value: '1' }])]),
    code: 'bad-variable-name',
  },
  {
    title: 'an id of 1 MB',
    draft: () => draft([action('s', 'x'.repeat(1_000_000)), action('x'.repeat(1_000_000), 'end')]),
    code: 'too-long',
  },
  {
    title: 'ids of halves of characters',
    draft: () => draft([action('s', '\uD800'), action('\uD800', 'end')]),
    code: undefined,
  },
  {
    title: 'steps that are an object',
    draft: () => ({ config: { name: 'x' }, steps: { s: END } }),
    code: 'wrong-type',
  },
  {
    title: 'a list of 10,000 lists',
    draft: () => ({ config: { name: 'x' }, steps: times(10_000, () => []) }),
    code: 'wrong-type',
  },
  {
    title: 'an endless timeout',
    draft: () => draft([action('s', 'end')], { config: { name: 'x', timeout: 1e300 } }),
    code: 'out-of-range',
  },
]

test('there are at least 20 of them', () => expect(ROWS.length).toBeGreaterThanOrEqual(20))

describe('a draft is refused, or converted to what an engine takes', () => {
  test.each(ROWS)('$title', ({ draft: make, code }) => {
    const { draft: decoded, problems } = decodeDraft(make())
    const converted = decoded && convertDraft(decoded)
    const found = [...problems, ...(converted?.problems ?? [])]
    const errors = found.filter(({ severity }) => severity === 'error')
    expect(found.length).toBeLessThanOrEqual(2_002)
    if (code === undefined) {
      expect(errors).toEqual([])
      expect(decodeRuleset(converted?.ruleset ?? {}).problems).toEqual([])
    } else expect(errors.map((problem) => problem.code)).toContain(code)
  })
})

describe('edits and comparisons of a draft do no harm', () => {
  test.each(ROWS)('$title', ({ draft: make }) => {
    const { draft: decoded } = decodeDraft(make())
    if (decoded === undefined) return
    const before = stringifyJson(decoded)
    const ids = decoded.steps.map(({ id }) => id)
    const some = ids.slice(0, 20)
    for (const changed of editsOf(decoded, ids, some)) {
      diffDrafts(decoded, changed)
      compareRulesets(decoded, changed)
      expect(merge3(decoded, changed, decoded).conflicts).toEqual([])
    }
    for (const one of decoded.steps) edgesOf(one)
    expect(stringifyJson(decoded)).toBe(before)
    expect(({} as { readonly steps?: unknown }).steps).toBeUndefined()
  })
})

/** Drafts produced by editing one. */
function editsOf(decoded: DraftRuleset, ids: readonly string[], some: readonly string[]): readonly DraftRuleset[] {
  const [first = ''] = ids
  const extracted = extractSubRule(decoded, [first], { name: 'part' })
  const inlined = inlineSubRule(decoded, first)
  return [
    decoded,
    pasteSteps(decoded, copySteps(decoded, some)).draft ?? decoded,
    duplicateSteps(decoded, some).graph,
    removeStep(decoded, first)?.graph ?? decoded,
    renameField(decoded, 'age', 'years') ?? decoded,
    ...(extracted.kind === 'edited' ? [extracted.draft] : []),
    ...(inlined.kind === 'edited' ? [inlined.draft] : []),
  ]
}
