import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isSameValue, withoutTime } from './compare.ts'
import { dmnTckCases } from './dmn-tck.ts'
import { gorulesCases } from './gorules.ts'
import { type KitCase, outcomeOf, tallyText } from './tally.ts'

const temporaryFolder = () => mkdtempSync(join(tmpdir(), 'kits-'))

const decision = (value: string, tests: readonly object[]) => ({
  tests,
  nodes: [
    { id: 'in', type: 'inputNode', name: 'in' },
    { id: 'a', type: 'expressionNode', name: 'a', content: { expressions: [{ id: 'e', key: 'y', value }] } },
  ],
  edges: [{ id: 'e1', sourceId: 'in', targetId: 'a', type: 'edge' }],
})

test('decisions of GoRules count by their worst result', () => {
  const folder = temporaryFolder()
  const write = (name: string, document: object) => writeFileSync(join(folder, name), JSON.stringify(document))
  write('a-right.json', decision('x + 1', [{ input: { x: 1 }, output: { y: 2 } }]))
  write(
    'b-wrong.json',
    decision('x + 1', [
      { input: { x: 1 }, output: { y: 2 } },
      { input: { x: 1 }, output: { y: 3 } },
    ]),
  )
  write('c-refused.json', decision('rand(x)', [{ input: { x: 1 }, output: { y: 1 } }]))
  write('d-failed.json', decision('x + 1', [{ input: {}, output: { y: 1 } }]))
  write('e-now.json', decision("date('now')", [{ input: {}, output: { y: 1755622502 } }]))
  write('f-without-tests.json', decision('1', []))
  const cases = gorulesCases(folder)
  expect(cases.map((one) => [one.name, outcomeOf(one)])).toEqual([
    ['a-right.json', 'right'],
    ['b-wrong.json', 'different'],
    ['c-refused.json', 'refused'],
    ['d-failed.json', 'failed'],
    ['e-now.json', 'right'],
  ])
  expect(tallyText(cases)).toContain('| gorules | 5 | 2 | 1 | 0 | 1 | 1 |')
})

test('each decision of the DMN kit is requested by itself, and counts by level', () => {
  const place = join(temporaryFolder(), 'TestCases', 'compliance-level-2', '0001')
  mkdirSync(place, { recursive: true })
  writeFileSync(
    join(place, 'm.dmn'),
    `<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" name="m" namespace="n">
      <inputData id="i" name="x"><variable name="x" typeRef="number"/></inputData>
      <decision id="d" name="Greeting"><variable name="Greeting"/>
        <informationRequirement><requiredInput href="#i"/></informationRequirement>
        <literalExpression><text>if x > 1 then "many" else "few"</text></literalExpression></decision>
      <decision id="e" name="Other"><variable name="Other"/>
        <literalExpression><text>unknown thing(1)</text></literalExpression></decision>
    </definitions>`,
  )
  const result = (name: string, value: string) =>
    `<resultNode name="${name}" type="decision"><expected><value xsi:type="xsd:string">${value}</value></expected></resultNode>`
  const input = '<inputNode name="x"><value xsi:type="xsd:decimal">2</value></inputNode>'
  writeFileSync(
    join(place, 'm-test-01.xml'),
    `<testCases xmlns="t" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><modelName>m.dmn</modelName>
      <testCase id="1">${input}${result('Greeting', 'many')}</testCase>
      <testCase id="2">${input}${result('Greeting', 'few')}</testCase>
      <testCase id="3">${result('Other', 'x')}</testCase></testCases>`,
  )
  const cases = dmnTckCases(join(place, '../../..'))
  expect(cases.map(({ level }) => level)).toEqual(['level 2', 'level 2', 'level 2'])
  expect(cases.map(outcomeOf)).toEqual(['right', 'different', 'refused'])
})

test('the tally has the reasons by kind', () => {
  const places = ['', 'in `D`: ', 'in `D`, rule 2, `a: b`: ', 'in `D`, input 1: ']
  const cases: KitCase[] = places.map((place, index) => ({
    level: 'one',
    name: String(index),
    results: [{ outcome: 'refused', reason: `${place}\`${index}\` could not be converted: no | reason` }],
  }))
  expect(tallyText(cases)).toContain('| 4 | refused | no / reason |')
})

test.each([
  [1, 1.000000001, true],
  [1, 1.01, false],
  [{ a: null }, {}, true],
  [[1, 2], [1], false],
  ['1', 1, false],
  [{ a: [{ b: 1 }] }, { a: [{ b: 1 }] }, true],
])('%j and %j: %j', (left, right, isSame) => expect(isSameValue(left, right)).toBe(isSame))

test('parts that depend on the time of the execution are not compared', () => {
  expect(withoutTime({ at: 1, n: 2 }, { at: 5, n: 3 }, { at: 6, n: 3 })).toEqual({ at: 5, n: 2 })
})
