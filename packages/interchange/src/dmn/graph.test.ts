import { expect, test } from 'vitest'
import { Losses } from '../losses.ts'
import { readTree } from '../xml/tree.ts'
import { DmnReport, readDefinitions } from './definitions.ts'
import { chainsOf } from './graph.ts'
import { dmnText, type WrittenDecision } from './model.testing.ts'

/** The chains of a model, and its losses. */
function read(decisions: readonly WrittenDecision[], extra = '') {
  const text = dmnText(decisions, [], { extra })
  const report = new DmnReport(text, new Losses())
  const root = readTree(text, 1_000_000)
  const definitions = readDefinitions({ root, prefixes: new Map(), imported: new Set() }, report)
  const chains = chainsOf(definitions, report, undefined)
  return {
    orders: Object.fromEntries(chains.map(({ name, order }) => [name, order.map((one) => one.name).join(' ')])),
    lost: report.losses.lost.map(({ path, code }) => `${path} ${code}`),
  }
}

const decision = (name: string, ...requires: readonly string[]): WrittenDecision => ({ name, requires })
const service = (name: string, outputs: readonly string[], given: readonly string[] = [], type = '') =>
  `<decisionService id="${name}" name="${name}"><variable name="${name}"${type && ` typeRef="${type}"`}/>${outputs
    .map((output) => `<outputDecision href="#_${output}"/>`)
    .join('')}${given.map((one) => `<inputDecision href="#_${one}"/>`).join('')}</decisionService>`

test.each<readonly [string, readonly WrittenDecision[], { readonly [name: string]: string }]>([
  ['a chain of three', [decision('D', 'B'), decision('B', 'A'), decision('A')], { D: 'A B D' }],
  ['requirements in their own order', [decision('D', 'A', 'B'), decision('B'), decision('A')], { D: 'A B D' }],
  ['one required again below another', [decision('D', 'B', 'A'), decision('B', 'A'), decision('A')], { D: 'A B D' }],
  [
    'one required before one that requires it',
    [decision('D', 'A', 'B'), decision('B', 'A'), decision('A')],
    { D: 'A B D' },
  ],
  ['one required twice', [decision('D', 'A', 'A'), decision('A')], { D: 'A D' }],
  ['two that share one', [decision('D', 'A'), decision('E', 'A'), decision('A')], { D: 'A D', E: 'A E' }],
])('%s: decisions follow all that they require', (_, decisions, orders) => {
  expect(read(decisions)).toEqual({ orders, lost: [] })
})

test.each<readonly [string, string, string]>([
  ['two outputs', service('s', ['D', 'E']), 'A D B E'],
  ['one output that requires another', service('s', ['E', 'B']), 'A B E'],
  ['a given decision', service('s', ['E'], ['B']), 'E'],
])('a service with %s', (_, extra, order) => {
  const decisions = [decision('D', 'A'), decision('E', 'B'), decision('B', 'A'), decision('A')]
  expect(read(decisions, extra)).toEqual({
    orders: { D: 'A D', E: 'A B E', s: order },
    lost: [],
  })
})

test('decisions on a cycle and those that require them are in no chain', () => {
  const decisions = [decision('D', 'A'), decision('A', 'B'), decision('B', 'A', 'F'), decision('E', 'F'), decision('F')]
  expect(read(decisions)).toEqual({ orders: { E: 'F E' }, lost: ['/_D cycle', '/_A cycle', '/_B cycle'] })
})

test('a decision or an output that the model does not have is reported at the one that names it', () => {
  expect(read([decision('D', 'None')], service('s', ['Nothing']))).toEqual({
    orders: { D: 'D' },
    lost: ['/_D unknown-requirement', '/s unknown-requirement'],
  })
})

test.each([
  ['number', []],
  ['feel:number', []],
  ['Any', []],
  [' feel:Any ', []],
  ['string', ['/s result-type']],
])('a service of the type `%s` with a number', (type, lost) => {
  expect(read([{ name: 'D', type: 'number' }], service('s', ['D'], [], type)).lost).toEqual(lost)
})

test('the decisions of all chains are limited', () => {
  const shared = Array.from({ length: 199 }, (_, at) => decision(`s${at}`, ...(at < 198 ? [`s${at + 1}`] : [])))
  const tops = Array.from({ length: 100 }, (_, at) => decision(`t${at}`, 's0'))
  expect(Object.keys(read([...tops, ...shared]).orders).length).toBe(100)
  expect(() => read([...tops, ...shared, decision('one')])).toThrow('at most 20000 decisions')
})
