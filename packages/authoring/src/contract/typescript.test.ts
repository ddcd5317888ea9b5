import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { seededRandom } from '../../../ruleset/src/random.testing.ts'
import type { Contract, InputField } from './contract.ts'
import { CONCEPTS, randomContract } from './random-contract.testing.ts'
import { contractTypes } from './typescript.ts'

const COMPILER = join(import.meta.dirname, '../../../../node_modules/.bin/tsc')
const OPTIONS = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2024', '--types', '']

/** The compiler's messages for files; empty when there are none. */
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

test('types of random contracts compile', () => {
  printSeed(100)
  const random = seededRandom(SEED)
  const files = Array.from({ length: 100 }, () => contractTypes(randomContract(random), CONCEPTS).text)
  expect(compiled(files)).toBe('')
}, 120_000)

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

const typeOf = (field: Partial<InputField>) => {
  const fields: readonly InputField[] = [{ name: 'a', type: 'any', required: true, ...field }]
  const { text } = contractTypes({ name: 'c', version: '1.0.0', input: { fields }, outputs: [] }, new Map())
  return /readonly a\??: (.*)/.exec(text)?.[1]
}

test.each<[field: Partial<InputField>, type: string]>([
  [{ type: 'string' }, 'string'],
  [{ type: 'integer' }, 'number'],
  [{ type: 'decimal' }, 'number'],
  [{ type: 'boolean' }, 'boolean'],
  [{ type: 'any' }, 'unknown'],
  [{ type: 'string', enum: ['a', 'b', 'a'] }, '"a" | "b"'],
  [{ type: 'number', enum: [1, 2] }, '1 | 2'],
  [{ type: 'boolean', enum: [true] }, 'true'],
  [{ type: 'string', enum: [] }, 'never'],
  [{ type: 'array<string>', enum: [['a']] }, 'ReadonlyArray<string>'],
])('the field %j has the type %s', (field, type) => {
  expect(typeOf(field)).toBe(type)
})

test('an integer beyond the doubles has the nearest literal', () => {
  expect(typeOf({ type: 'integer', enum: [9007199254740993n] })).toBe('9007199254740992')
})
