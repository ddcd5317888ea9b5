import { expect, test } from 'vitest'
import { yamlToJson } from './yaml-text.ts'

test.each([
  ['a: 1\nb: [x, "y", null, true, 1.5]', '{"a":1,"b":["x","y",null,true,1.5]}'],
  ['n: 123456789012345678901234567890', '{"n":123456789012345678901234567890}'],
  ['__proto__: {x: 1}\nconstructor: 2', '{"__proto__":{"x":1},"constructor":2}'],
  ['a: &a {k: 1}\nb: *a', '{"a":{"k":1},"b":{"k":1}}'],
  ['date: 2020-01-01\nyes: yes', '{"date":"2020-01-01","yes":"yes"}'],
  ['\uFEFFa: "\\u2028\\"\\n"', '{"a":"\u2028\\"\\n"}'],
  ['', 'null'],
  ['a: 1e20\nb: 100000000000000000000', '{"a":1e+20,"b":100000000000000000000}'],
  ['? a\n: 1\n~: 2', '{"a":1,"":2}'],
])('%j is %s', (text, json) => {
  expect(yamlToJson(text)).toEqual({ json })
})

test.each([
  ['a: 1\na: 2', 'Map keys must be unique at line 2, column 1'],
  ['a:\n  - {1: a, "1": b}', 'Map keys must be unique at line 2, column 12'],
  ['{true: 1, "true": 2}', 'Map keys must be unique at line 1, column 11'],
  ['{0x10: 1, 16: 2}', 'Map keys must be unique at line 1, column 11'],
  ['{a: {null: 1, "": 2}}', 'Map keys must be unique at line 1, column 15'],
  ['? [a]\n: 1', 'A key is a single text, not an alias, a list or a map at line 1, column 1'],
  ['a: &x b\n*x : 1', 'A key is a single text, not an alias, a list or a map at line 1, column 1'],
  ['\ta: 1', 'Tabs are not allowed as indentation at line 1, column 1'],
  ['a: 1\n---\nb: 2', 'it contains several documents, but a rule file has one'],
  ['a: .nan', 'it contains the number `NaN`, which JSON does not have'],
  ['a: 1e400', 'it contains the number `Infinity`, which JSON does not have'],
  ['a: !!binary aGk=', 'it contains a date, binary data or another type, which JSON does not have'],
  ['%YAML 1.1\n---\na: 2020-01-01', 'it contains a date, binary data or another type, which JSON does not have'],
  ['a: &x [*x]', 'it is nested more than 128 levels deep'],
  ['['.repeat(20_000), 'it is nested too deeply'],
  [Array.from({ length: 3000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'), 'it is nested too deeply'],
  [
    ['a: &a0 [x]', ...Array.from({ length: 9 }, (_, n) => `b${n}: &a${n + 1} [${`*a${n},`.repeat(9)}]`)].join('\n'),
    'its aliases (`*name`) expand beyond the limit',
  ],
])('%.40j: refused with its reason', (text, reason) => {
  expect(yamlToJson(text)).toEqual({ reason })
})

/** Comparing each key with all others took 15 s for these. */
test('many keys are read in time linear in their number', () => {
  const text = Array.from({ length: 60_000 }, (_, index) => `key${index}: v`).join('\n')
  const converted = yamlToJson(text)
  expect('json' in converted && converted.json.length).toBeGreaterThan(60_000 * 10)
  expect(yamlToJson(`${text}\nkey7: w`)).toEqual({ reason: 'Map keys must be unique at line 60001, column 1' })
})
