import { describe, expect, test } from 'vitest'
import { fromDmn } from './from-dmn.ts'
import { decide, dmnText, type WrittenTable } from './model.testing.ts'

/** Three rules, two of which match a 5. */
const TABLE: WrittenTable = {
  inputs: [['x', 'number']],
  outputs: [{ type: 'number' }],
  rules: [
    ['> 3', '1'],
    ['> 4', '2'],
    ['> 9', '3'],
  ],
}
const read = (table: WrittenTable) => {
  const { rulesets, lost } = fromDmn(dmnText([{ name: 'D', table, requires: ['x'] }], [['x', 'number']]))
  return { run: decide(rulesets[0]?.ruleset ?? { config: { name: '' }, steps: [] }), lost }
}

describe('the decision of a table where several rules match, one, and none', () => {
  const failure = { error: expect.stringContaining('') }
  test.each<[policy: string | undefined, aggregation: string | undefined, results: readonly unknown[]]>([
    ['FIRST', undefined, [{ D: 1 }, { D: 1 }, { D: null }]],
    ['UNIQUE', undefined, [failure, { D: 1 }, { D: null }]],
    // Modelers omit the hit policy when it is the standard's default.
    [undefined, undefined, [failure, { D: 1 }, { D: null }]],
    ['ANY', undefined, [failure, { D: 1 }, { D: null }]],
    ['RULE ORDER', undefined, [{ D: [1, 2] }, { D: [1] }, { D: [] }]],
    ['COLLECT', undefined, [{ D: [1, 2] }, { D: [1] }, { D: [] }]],
    ['COLLECT', 'SUM', [{ D: 3 }, { D: 1 }, { D: null }]],
    ['COLLECT', 'MIN', [{ D: 1 }, { D: 1 }, { D: null }]],
    ['COLLECT', 'MAX', [{ D: 2 }, { D: 1 }, { D: null }]],
    ['COLLECT', 'COUNT', [{ D: 2 }, { D: 1 }, { D: 0 }]],
    // An aggregation is ignored by other policies.
    ['FIRST', 'SUM', [{ D: 1 }, { D: 1 }, { D: null }]],
  ])('%s %s', (hitPolicy, aggregation, results) => {
    const { run, lost } = read({
      ...TABLE,
      ...(hitPolicy !== undefined && { hitPolicy }),
      ...(aggregation !== undefined && { aggregation }),
    })
    expect(lost).toEqual([])
    expect([5, 4, 0].map((x) => run({ x }))).toEqual(results)
  })

  test.each([
    ['PRIORITY', [{ D: 2 }, { D: 1 }, { D: null }]],
    ['OUTPUT ORDER', [{ D: [2, 1] }, { D: [1] }, { D: [] }]],
  ])('%s', (hitPolicy, results) => {
    const { run } = read({ ...TABLE, hitPolicy, outputs: [{ type: 'number', values: '3, 2, 1' }] })
    expect([5, 4, 0].map((x) => run({ x }))).toEqual(results)
  })
})

test('rules of ANY that match may have one output', () => {
  const { run } = read({
    ...TABLE,
    hitPolicy: 'ANY',
    rules: [
      ['> 3', '1'],
      ['> 4', '1'],
    ],
  })
  expect(run({ x: 5 })).toEqual({ D: 1 })
})

describe('a default output', () => {
  const outputs = [{ type: 'number', byDefault: '7' }]

  test.each(['RULE ORDER', 'COLLECT'])('of a list is noted as one on which programs differ: %s', (hitPolicy) => {
    const { run, lost } = read({ ...TABLE, hitPolicy, outputs })
    expect(lost.map(({ code, severity }) => [code, severity])).toEqual([['default-output', 'warning']])
    expect(run({ x: 0 })).toEqual({ D: 7 })
  })

  test.each(['FIRST', 'UNIQUE', 'ANY'])('of one result is taken where no rule matches: %s', (hitPolicy) => {
    const { run, lost } = read({ ...TABLE, hitPolicy, outputs })
    expect(lost).toEqual([])
    expect([run({ x: 0 }), run({ x: 4 })]).toEqual([{ D: 7 }, { D: 1 }])
  })
})

test.each([
  ['an unknown policy', { hitPolicy: 'LAST' }, 'hit-policy'],
  ['a policy that every object inherits', { hitPolicy: 'toString' }, 'hit-policy'],
  ['an unknown aggregation', { hitPolicy: 'COLLECT', aggregation: 'MEAN' }, 'hit-policy'],
  ['priorities without a list of values', { hitPolicy: 'PRIORITY' }, 'no-priorities'],
  ['an output that is not among the values', { hitPolicy: 'PRIORITY', outputs: [{ values: '1, 2' }] }, 'no-priorities'],
  [
    'a sum of texts',
    { hitPolicy: 'COLLECT', aggregation: 'SUM', outputs: [{}], rules: [['> 1', '"a"']] },
    'aggregation',
  ],
])('%s is not supported', (_, more, code) => {
  const { lost } = fromDmn(dmnText([{ name: 'D', table: { ...TABLE, ...more }, requires: ['x'] }], [['x', 'number']]))
  expect(lost.filter(({ severity }) => severity === 'error').map((one) => one.code)).toEqual([code])
})
