import type { DraftRuleset } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { ZenEngine } from '@gorules/zen-engine'
import { expect, test } from 'vitest'
import { executable } from '../../execute.testing.ts'
import { action, end } from '../../steps.testing.ts'
import { toJdm } from './to-jdm.ts'

const INPUT: Value = { n: 3, m: -2.5, s: 'aB', l: [3, 1, 2], e: [], o: { p: 1 }, yes: true, nothing: null }
const engine = new ZenEngine()

test.each<readonly [string, readonly string[]]>([
  ['len("abc")', ['length']],
  ['len([1, 2])', []],
  ['len(l)', ['length']],
  ['trim(" a ")', []],
  ['upper(s)', []],
  ['lower(s)', []],
  ['starts_with("abc", "ab")', []],
  ['ends_with("abc", "ab")', []],
  ['contains_str("abc", "b")', []],
  ['contains_str(nothing, "b")', []],
  ['starts_with("abc", nothing)', []],
  ['matches("abc", "^a")', []],
  ['matches("abc", "")', []],
  ['matches(nothing, "a")', []],
  ['matches("a1", "\\\\d")', ['unicode-classes']],
  ['split("a,b", ",")', []],
  ['to_string("a")', []],
  ['to_string(true)', []],
  ['to_string(n)', ['number-text']],
  ['abs(m)', ['decimals']],
  ['floor(m)', ['decimals']],
  ['ceil(m)', ['decimals']],
  ['to_int(-2.5)', []],
  ['round(m)', ['decimals']],
  ['round(1.25, 1)', ['decimals']],
  ['sum([1, 2])', ['decimals']],
  ['avg([1, 2])', ['decimals']],
  ['avg([])', ['decimals']],
  ['min([2, 1])', ['decimals', 'order']],
  ['min([])', ['decimals', 'order']],
  ['max([2, 1])', ['decimals', 'order']],
  ['max(1, 2)', ['decimals']],
  ['min(1, 2)', ['decimals']],
  ['pow(n, 2)', ['decimals']],
  ['pow(-2, 2)', ['decimals']],
  ['pow(1 + n, 2)', ['decimals']],
  ['first([7, 8])', []],
  ['keys(o)', ['key-order']],
  ['values(o)', ['key-order']],
  ...['n', 's', 'yes', 'l', 'o', 'nothing'].flatMap((name) =>
    ['null', 'number', 'string', 'bool', 'array', 'object'].map(
      (type) => [`is_${type}(${name})`, []] as readonly [string, readonly string[]],
    ),
  ),
  [`"it's"`, []],
  ['"say \\"no\\""', []],
  [`"it's" + s`, []],
  [`"it's \\"no\\""`, []],
  [`{"it's": 1}`, []],
  ['{"say \\"no\\"": 1}', []],
  ['{"two words": 1}', []],
  ['(is_null(nothing) ? 1 : "a") ? "true" : "false"', []],
  ['(is_null(nothing) ? 0 : "a") ? "true" : "false"', []],
  ['(is_null(nothing) ? "" : 1) ? "true" : "false"', []],
  ['(is_null(nothing) ? null : 1) ? "true" : "false"', []],
  ['(is_null(nothing) ? false : 1) ? "true" : "false"', []],
  ['(is_null(nothing) ? true : "a") ? "true" : "false"', []],
  ['(is_null(nothing) ? "x" : 1) ? "true" : "false"', []],
  ['!(is_null(nothing) ? 1 : "a")', []],
  ['!(is_null(nothing) ? 0 : "a")', []],
  ['(is_null(nothing) ? 1 : "a") == 1', []],
  ['(is_null(nothing) ? "b" : 1) == "b"', []],
  ['(coalesce(nothing, "") + coalesce(nothing, "")) ? "true" : "false"', ['decimals']],
  ['coalesce(nothing, 1)', []],
  ['coalesce(nothing, nothing, 2)', []],
  ['coalesce(1, 2)', []],
  ['coalesce(nothing, "a") + "b"', []],
  ['any([1, 2], v => v == 2)', []],
  ['all([1, 2], v => v == 2)', []],
  ['none([1, 2], v => v == 3)', []],
  ['filter([1, 2], v => v == 2)', []],
  ['map([1, 2], v => [v])', []],
])('%s is computed by the engine of GoRules as here, with the warnings %j', async (expression, codes) => {
  const draft = { config: { name: 'd' }, startStepId: 'a', steps: [action(expression), end] }
  const { document, lost } = toJdm(draft)
  expect(lost.map(({ code }) => code).sort()).toEqual([...codes])
  if (typeof document !== 'object' || document === null) throw new Error('nothing was written')
  const { result } = await engine.createDecision(document).evaluate(INPUT)
  expect({ kind: 'decided', message: '', ...result }).toEqual(executable(draft)(INPUT))
})

test.each([
  [`{"it's \\"no\\"": 1}`],
  ['matches("abc", s)'],
  ['split("ab", "")'],
  ['split("ab", s)'],
  ['to_int(s)'],
  ['round(n, 16)'],
  ['round(n, n)'],
  ['round(n, 1, 2)'],
  ['avg(1, 2)'],
  ['avg("a")'],
  ['min("a")'],
  ['min()'],
  ['coalesce()'],
  ['pow(n, -1)'],
  ['pow(n, 100)'],
  ['pow(n, m)'],
])('%s is refused', (expression) => {
  const { lost } = toJdm({ config: { name: 'd' }, startStepId: 'a', steps: [action(expression), end] })
  expect(lost.map(({ severity }) => severity)).toContain('error')
})

test.each([
  ['1', [1, 2]],
  ['!= 1', [1, 2]],
  ['< 2', [1, 2]],
  ['<= 2', [2, 3]],
  ['> 1', [1, 2]],
  ['>= 2', [1, 2]],
  ['in [1, 2]', [1, 2, 3]],
  ['not in [1, 2]', [1, 2, 3]],
  ['[1..3)', [1, 2, 3]],
  ['(1..3]', [1, 2, 3]],
  ['? n % 2 == 0', [1, 2]],
  ['', [1]],
])('the cell %j holds in the engine of GoRules for the values for which it holds here', async (cell, values) => {
  const draft: DraftRuleset = {
    config: { name: 'd', numbers: 'decimal' },
    startStepId: 't',
    steps: [
      {
        id: 't',
        name: 't',
        type: 'table',
        hitPolicy: 'first',
        columns: [
          { id: 'c1', kind: 'input', field: 'n', type: 'number' },
          { id: 'c2', kind: 'output', field: 'x' },
        ],
        rows: [
          { id: 'r1', cells: { ...(cell !== '' && { c1: cell }), c2: '"yes"' } },
          { id: 'r2', cells: { c2: '"no"' } },
        ],
        nextStepId: end.id,
      },
      end,
    ],
  }
  const { document, lost } = toJdm(draft)
  expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
  const { nodes } = document as unknown as { readonly nodes: readonly { readonly type: string }[] }
  // A condition that no cell holds there makes a switch of the table.
  if (!cell.startsWith('?')) expect(nodes.map(({ type }) => type)).toContain('decisionTableNode')
  const decision = engine.createDecision(document as object)
  for (const n of values) {
    const { result } = await decision.evaluate({ n })
    expect({ kind: 'decided', message: '', ...result }).toEqual(executable(draft)({ n }))
  }
})
