import { expect, test } from 'vitest'
import { fromDmn } from './from-dmn.ts'
import { decide, dmnText } from './model.testing.ts'
import { STANDARD } from './standard.testing.ts'

test.each(STANDARD)('$title', ({ document, results }) => {
  const { rulesets, lost } = fromDmn(document, 'model')
  expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
  const [only] = rulesets
  expect(rulesets.map(({ name }) => name)).toEqual(['model'])
  const run = decide(only?.ruleset ?? { config: { name: '' }, steps: [] })
  for (const [input, output] of results) expect(run(input), JSON.stringify(input)).toEqual(output)
})

test.each([
  'http://www.omg.org/spec/DMN/20151101/dmn.xsd',
  'http://www.omg.org/spec/DMN/20180521/MODEL/',
  'https://www.omg.org/spec/DMN/20211108/MODEL/',
  'https://www.omg.org/spec/DMN/20230324/MODEL/',
])('a model of the namespace %s is read', (namespace) => {
  const { rulesets, lost } = fromDmn(dmnText([{ name: 'D', expression: '1' }], [], { namespace }))
  expect(lost).toEqual([])
  expect(rulesets.map(({ name }) => name)).toEqual(['D'])
})

test('cells are those of the editor', () => {
  const rules = [
    ['"a"', '"a", null', 'not("a")', 'not("a", "b")', '1'],
    ['null', '[1..5)', '!= 3', '? > 1 and ? < limit', '2'],
    ['-', 'date("2026-01-01")', 'not([1..2])', '< -3', '3'],
  ]
  const inputs = ['p', 'q', 'r', 's'].map((name) => [name] as const)
  const { rulesets, lost } = fromDmn(dmnText([{ name: 'D', table: { inputs, outputs: [{}], rules } }]))
  expect(lost).toEqual([])
  const [table] = rulesets[0]?.ruleset.steps ?? []
  expect(table).toMatchObject({
    rows: [
      { cells: { i1: '"a"', i2: 'in ["a", null]', i3: '!= "a"', i4: 'not in ["a", "b"]' } },
      { cells: { i1: 'null', i2: '[1..5)', i3: '!= 3', i4: '? (s > 1) && (s < limit)' } },
      { cells: { i2: '"2026-01-01"', i3: '? r < 1 || r > 2', i4: '< -3' } },
    ],
  })
})
