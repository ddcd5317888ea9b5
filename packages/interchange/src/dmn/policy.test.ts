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

test('the description and the annotations of a rule are its note', () => {
  const notes = [
    '<description> first </description><annotationEntry><text>second</text></annotationEntry><annotationEntry><text>third</text></annotationEntry>',
    '<annotationEntry><text> </text></annotationEntry>',
    '<description>only</description>',
  ]
  let at = 0
  const document = dmnText([{ name: 'D', table: { ...TABLE, hitPolicy: 'FIRST' }, requires: ['x'] }], [['x', 'number']])
  const { rulesets } = fromDmn(document.replaceAll('<rule>', () => `<rule>${notes[at++] ?? ''}`))
  const rows = rulesets[0]?.ruleset.steps.flatMap((step) => (step.type === 'table' ? step.rows : []))
  expect(rows?.map((row) => 'note' in row && row.note)).toEqual(['first\nsecond\nthird', false, 'only'])
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

describe('several outputs', () => {
  const outputs = [{ name: 'fee', type: 'number' }, { name: 'note' }]
  const rules = [
    ['> 3', '1', '"a"'],
    ['> 4', '2', '"b"'],
    ['> 4', '2', '"a"'],
  ]
  const withDefault = [{ name: 'fee', byDefault: '7' }, { name: 'note' }]
  const ranked = [
    { name: 'fee', values: '2, 1' },
    { name: 'note', values: '"a", "b"' },
  ]
  const [first, second, third] = [
    { fee: 1, note: 'a' },
    { fee: 2, note: 'b' },
    { fee: 2, note: 'a' },
  ]
  test.each<[policy: string, outputs: WrittenTable['outputs'], results: readonly unknown[]]>([
    ['FIRST', outputs, [first, { fee: null, note: null }]],
    ['FIRST', withDefault, [first, { fee: 7, note: null }]],
    ['RULE ORDER', outputs, [{ D: [first, second, third] }, { D: [] }]],
    ['PRIORITY', ranked, [third, { fee: null, note: null }]],
    ['OUTPUT ORDER', ranked, [{ D: [third, second, first] }, { D: [] }]],
    ['OUTPUT ORDER', [ranked[0] ?? {}, { name: 'note' }], [{ D: [second, third, first] }, { D: [] }]],
    ['COLLECT', outputs, [{ D: [first, second, third] }, { D: [] }]],
  ])('%s with the outputs %j', (hitPolicy, given, results) => {
    const { run } = read({ ...TABLE, hitPolicy, outputs: given, rules })
    expect([5, 0].map((x) => run({ x }))).toEqual(results)
  })
})

test.each([
  ['SUM', [{ byDefault: '7' }], [{ D: 3 }, { D: 7 }]],
  ['SUM', [{ byDefault: '0' }], [{ D: 3 }, { D: 0 }]],
  ['MIN', [{}], [{ D: 1 }, { D: null }]],
  ['MAX', [{ byDefault: '7' }], [{ D: 2 }, { D: 7 }]],
  ['COUNT', [{ byDefault: '7' }], [{ D: 2 }, { D: 7 }]],
])('an aggregation by %s with the outputs %j', (aggregation, outputs, results) => {
  const { run, lost } = read({ ...TABLE, hitPolicy: 'COLLECT', aggregation, outputs })
  expect(lost).toEqual([])
  expect([5, 0].map((x) => run({ x }))).toEqual(results)
})

test.each([
  ['SUM', [{ byDefault: '0' }], 1],
  ['SUM', [{}], 2],
  ['MIN', [{}], 1],
  ['MAX', [{}], 1],
  ['COUNT', [{}], 1],
  ['COUNT', [{ byDefault: '1' }], 2],
])(
  '%s with the outputs %j has %i steps: a second one where the value without a match is another',
  (aggregation, outputs, count) => {
    const table = { ...TABLE, hitPolicy: 'COLLECT', aggregation, outputs }
    const { rulesets } = fromDmn(dmnText([{ name: 'D', table, requires: ['x'] }], [['x', 'number']]))
    expect(rulesets[0]?.ruleset.steps.filter(({ type }) => type !== 'terminal').length).toBe(count)
  },
)

test.each([
  ['an unknown policy', { hitPolicy: 'LAST' }, 'hit-policy', 'unknown hit policy'],
  ['a policy that every object inherits', { hitPolicy: 'toString' }, 'hit-policy', 'unknown hit policy'],
  ['an unknown aggregation', { hitPolicy: 'COLLECT', aggregation: 'MEAN' }, 'hit-policy', 'unknown hit policy'],
  ['priorities without a list of values', { hitPolicy: 'PRIORITY' }, 'no-priorities', 'priorities require'],
  [
    'an output that is not among the values',
    { hitPolicy: 'PRIORITY', outputs: [{ values: '1, 2' }] },
    'no-priorities',
    'priorities require',
  ],
  [
    'a sum of texts',
    { hitPolicy: 'COLLECT', aggregation: 'SUM', outputs: [{}], rules: [['> 1', '"a"']] },
    'aggregation',
    'its outputs are not known to be numbers',
  ],
  [
    'a count of two outputs',
    { hitPolicy: 'COLLECT', aggregation: 'COUNT', outputs: [{ name: 'a' }, { name: 'b' }], rules: [['> 1', '1', '2']] },
    'aggregation',
    'there are several outputs',
  ],
])('%s is not supported', (_, more, code, reason) => {
  const { lost } = fromDmn(dmnText([{ name: 'D', table: { ...TABLE, ...more }, requires: ['x'] }], [['x', 'number']]))
  expect(lost.filter(({ severity }) => severity === 'error')).toMatchObject([
    { code, message: expect.stringContaining(reason) },
  ])
})
