import type { DraftRuleset } from '@engine/authoring'
import { pointerTo } from './pointer.testing.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { places as en } from '../texts/en/pointer-words.ts'
import { places as zh } from '../texts/zh/pointer-words.ts'
import { place } from './pointer-text.ts'

const DRAFT: DraftRuleset = {
  config: { name: 'coupon' },
  steps: [
    {
      id: 'check',
      name: 'May any coupon be given?',
      type: 'decision',
      branches: [
        { id: 'b1', condition: 'a' },
        { id: 'b2', label: 'too many coupons', condition: 'b' },
      ],
    },
    { id: 'x', type: 'decision', branches: [] },
    { id: 'rate', name: 'Monthly rate', type: 'action', assignments: [{ name: 'rate', value: '1' }, { value: '2' }] },
    {
      id: 'table4',
      name: 'Price by country',
      type: 'table',
      hitPolicy: 'first',
      columns: [
        { id: 'c3', kind: 'input', field: 'country' },
        { id: 'c4', kind: 'output', field: 'price', label: 'Price in euros' },
      ],
      rows: [
        { id: 'r1', cells: {} },
        { id: 'r2', cells: {} },
      ],
    },
    { id: 'granted', name: 'Granted', type: 'terminal', output: [{ name: 'sum' }, { name: 'price' }] },
    { id: 'end', type: 'terminal', code: 'DENIED' },
    {
      id: 'sub',
      name: 'Fee',
      type: 'sub_rule',
      refName: 'x',
      bindings: [{ field: 'weight' }],
      outputs: [{ childVar: 'fee' }],
    },
  ],
  subRules: { 'a/b': { steps: [{ id: 's', name: 'Surcharge', type: 'decision', branches: [] }] } },
  samples: [{ name: 'Germany', input: {} }],
}

describe('a place in the words of the author', () => {
  test.each([
    ['/steps/3/rows/0/cells/c3', 'Price by country, row 1, country'],
    ['/steps/table4/rows/r2/cells/c4', 'Price by country, row 2, Price in euros'],
    ['/steps/3/rows/1/nextStepId', 'Price by country, row 2, next step'],
    ['/steps/3/rows/1', 'Price by country, row 2'],
    ['/steps/3/columns/1/field', 'Price by country, column Price in euros'],
    ['/steps/3/hitPolicy', 'Price by country, matching rows'],
    ['/steps/0/branches/1/condition', 'May any coupon be given?, branch 2 (too many coupons)'],
    ['/steps/check/branches/b1/condition', 'May any coupon be given?, branch 1'],
    ['/steps/0/branches/0/nextStepId', 'May any coupon be given?, branch 1, next step'],
    ['/steps/0/defaultNextStepId', 'May any coupon be given?, otherwise'],
    ['/steps/2/assignments/0/value', 'Monthly rate, value of rate'],
    ['/steps/2/assignments/0/name', 'Monthly rate, name rate'],
    ['/steps/2/assignments/1/value', 'Monthly rate, value 2'],
    ['/steps/4/output/1', 'Granted, field price'],
    ['/steps/5', 'DENIED'],
    ['/steps/1', 'x'],
    ['/steps/6/bindings/0/expr', 'Fee, input weight'],
    ['/steps/6/outputs/0', 'Fee, result fee'],
    ['/subRules/a~1b/steps/0/branches', 'Sub-rule a/b, Surcharge'],
    ['/subRules/a~1b', 'Sub-rule a/b'],
    ['/subRules/none/steps/0', 'Sub-rule none'],
    ['/ruleset/config/name', 'Name'],
    ['/config/shade', 'shade'],
    ['/startStepId', 'First step'],
    ['/samples/0/input', 'Sample Germany'],
    ['', 'The ruleset'],
    ['/steps/99', 'The ruleset'],
    ['/steps/3/rows/99/cells/c3', 'Price by country'],
    ['/steps/3/rows/0/cells/c99', 'Price by country, row 1'],
    ['/steps/0/__proto__', 'May any coupon be given?'],
    ['not a pointer', 'The ruleset'],
  ])('%s is %s', (path, words) => {
    expect(place(path, DRAFT, en)).toBe(words)
  })

  test('is in the language of the reader', () => {
    expect(place('/steps/3/rows/0/cells/c3', DRAFT, zh)).toBe('Price by country，第 1 行，country')
  })

  test('is found for every pointer into a draft, and never a pointer itself', () => {
    fc.assert(
      fc.property(pointerTo(DRAFT), (path) => {
        const words = place(path, DRAFT, en)
        expect(words).not.toMatch(/^\/|undefined/)
        const step = /^\/steps\/(\d+)/.exec(path)?.[1]
        const { name, id, code } = (DRAFT.steps[Number(step)] ?? {}) as Record<string, string | undefined>
        if (step !== undefined) expect(words.startsWith(name ?? code ?? id ?? '')).toBe(true)
      }),
    )
  })
})
