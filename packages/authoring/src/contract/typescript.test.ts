import { stringifyJson } from '@engine/expression'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { seededRandom } from '../../../ruleset/src/random.testing.ts'
import type { Contract } from './contract.ts'
import { CONCEPTS, randomContract, randomInput } from './random-contract.testing.ts'
import { contractTypes } from './typescript.ts'
import { checkInput } from './use.ts'

const COMPILER = join(import.meta.dirname, '../../../../node_modules/.bin/tsc')
const OPTIONS = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2024', '--types', '']

/** What the compiler says of files; empty: nothing. */
function compiled(files: readonly string[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'types-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const paths = files.map((text, index) => {
    const path = join(directory, `${index}.ts`)
    writeFileSync(path, text)
    return path
  })
  try {
    return execFileSync(COMPILER, [...OPTIONS, ...paths], { cwd: directory, encoding: 'utf8' })
  } catch (error) {
    return (error as { readonly stdout: string }).stdout
  }
}

test('types of random contracts compile, and have the inputs that these take', () => {
  printSeed(100)
  const random = seededRandom(SEED)
  let taken = 0
  const files = Array.from({ length: 100 }, () => {
    const contract = randomContract(random)
    const { input, text } = contractTypes(contract, CONCEPTS)
    const inputs = Array.from({ length: 10 }, () => randomInput(random)).filter(
      // A literal with this key would set the prototype of the object.
      (value) => checkInput(contract, value, CONCEPTS).length === 0 && !stringifyJson(value).includes('__proto__'),
    )
    taken += inputs.length
    // By way of a variable: further members may be there.
    const uses = inputs.map(
      (value, index) =>
        `const v${index} = ${stringifyJson(value)} as const\nexport const i${index}: Loose<${input}> = v${index}`,
    )
    return `${text}\n${LOOSE}\n${uses.join('\n')}\n`
  })
  expect(taken).toBeGreaterThan(20)
  expect(compiled(files)).toBe('')
}, 120_000)

/** An empty object of the test stands for one whose members have any type; what is not declared is not looked at. */
const LOOSE = 'type Loose<T> = T extends object ? { readonly [K in keyof T]?: unknown } : T'

const HOSTILE = '*/ export const x = `${process.exit()}` //\n"\'\u2028'

test('texts of users stay in literals and comments', () => {
  const contract: Contract = {
    name: HOSTILE,
    version: '1.0.0',
    input: { fields: [{ name: 'a', type: 'string', enum: [HOSTILE, '\\'] }] },
    outputs: [{ code: HOSTILE, fields: [{ name: HOSTILE, type: 'any' }] }],
  }
  const { text, decision } = contractTypes(contract, new Map())
  const use = `export const d: ${decision}['code'] = ${JSON.stringify(HOSTILE)}`
  expect(compiled([`${text}\n${use}\n`])).toBe('')
}, 60_000)

test('names of concepts that become the same name stay different types, and wrong values do not compile', () => {
  const concepts = new Map([
    ['loan-input', [{ name: 'x', type: 'string' }]],
    ['loan_input', [{ name: 'x', type: 'number' }]],
  ])
  const contract: Contract = {
    name: 'loan',
    version: '1.0.0',
    input: {
      fields: [
        { name: 'a', type: 'concept:loan-input', required: true },
        { name: 'b', type: 'concept:loan_input', required: true, default: {} },
        { name: 'tier', type: 'string', enum: ['gold', 'silver'], required: true },
      ],
    },
    outputs: [],
  }
  const { text, input } = contractTypes(contract, concepts)
  const use = (value: string) => `${text}\nexport const i: ${input} = ${value}\n`
  expect(compiled([use("{ a: { x: 'x' }, b: { x: 1 }, tier: 'gold' }"), use("{ a: {}, tier: 'silver' }")])).toBe('')
  const wrong = [
    "{ a: { x: 1 }, tier: 'gold' }",
    "{ tier: 'gold' }",
    "{ a: {}, tier: 'iron' }",
    "{ a: {}, b: null, tier: 'gold' }",
  ]
  const said = compiled(wrong.map(use))
  for (const index of wrong.keys()) expect(said).toContain(`${index}.ts`)
}, 60_000)
