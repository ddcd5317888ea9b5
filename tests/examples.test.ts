import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Value } from '@engine/expression'
import { readRuleFile } from '@engine/rule-file'
import { createProgram, decodeRuleset, type Decision, type Ruleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { rulesetText } from '../examples/shipping-rates/table.ts'
import { testHost } from '../packages/ruleset/src/host.testing.ts'

const EXAMPLES = join(import.meta.dirname, '../examples')

/** A row of `ruleset.cases.json`. An expected output is the whole output: the rows have `exact`. */
interface Case {
  readonly name: string
  readonly input: { readonly [key: string]: Value }
  readonly expect: {
    readonly code: string
    readonly message?: string
    readonly output?: Decision['output']
    readonly exact?: boolean
  }
}

const files = readdirSync(EXAMPLES)
  .flatMap((name) => ['ruleset.json', 'ruleset.yaml'].map((file) => ({ name, path: join(EXAMPLES, name, file) })))
  .filter(({ path }) => existsSync(path))

const examples = files.map(({ name, path }) => ({ name, ...decoded(path), cases: casesOf(name) }))

function decoded(path: string) {
  const read = readRuleFile(path, readFileSync(path))
  if ('reason' in read) throw new Error(`${path}: ${read.reason}`)
  return decodeRuleset(read.document, { text: read.text })
}

function casesOf(name: string): readonly Case[] {
  return JSON.parse(readFileSync(join(EXAMPLES, name, 'ruleset.cases.json'), 'utf8'))
}

const rulesets = examples.flatMap(({ ruleset }) => (ruleset === undefined ? [] : [ruleset]))

const MODES = {
  compiled: { host: {}, options: {} },
  'compiled, branch by branch': { host: {}, options: { dispatch: false } },
  interpreted: { host: { makeFunction: undefined }, options: {} },
} as const

/** Decides with one of the rulesets, which may call the others. */
function decide(ruleset: Ruleset, mode: keyof typeof MODES, input: Value) {
  const host = testHost(MODES[mode].host)
  for (const one of rulesets) host.programs.set(one.config.name, createProgram(one, host, MODES[mode].options))
  return host.programs.get(ruleset.config.name)?.decide(input)
}

/** The parts of a decision that a case mentions. */
function said(decision: Decision | undefined, expected: Omit<Case['expect'], 'exact'>) {
  return Object.fromEntries(Object.entries(decision ?? {}).filter(([key]) => key in expected))
}

test('all examples exist', () => {
  expect(examples.map(({ name }) => name)).toEqual([
    'age-verification',
    'checkout',
    'document-access',
    'flight-compensation',
    'fraud-screening',
    'income-tax',
    'income-tax-de',
    'insurance-premium',
    'loan-approval',
    'shipping-rates',
    'vip-discount',
  ])
})

describe.for(examples)('$name', ({ name, ruleset, problems, warnings, cases }) => {
  test('is accepted without problems and warnings, under the name of its folder', () => {
    expect({ problems, warnings, name: ruleset?.config.name }).toEqual({ problems: [], warnings: [], name })
  })

  test('has a README and cases with different names', () => {
    expect(existsSync(join(EXAMPLES, name, 'README.md'))).toBe(true)
    expect(cases.length).toBeGreaterThanOrEqual(8)
    expect(new Set(cases.map((one) => one.name)).size).toBe(cases.length)
  })

  test('has a case for each code', () => {
    const codes = [...(ruleset?.steps.values() ?? [])].flatMap((step) => (step.type === 'terminal' ? [step.code] : []))
    expect(new Set(cases.map((one) => one.expect.code))).toEqual(new Set(codes))
  })

  for (const mode of ['compiled', 'compiled, branch by branch', 'interpreted'] as const)
    test.for(cases)(`${mode}: $name`, async ({ input, expect: { exact, ...expected } }) => {
      expect(exact).toBe(expected.output === undefined ? undefined : true)
      expect.assert(ruleset !== undefined)
      expect(said(await decide(ruleset, mode, input), expected)).toEqual(expected)
    })
})

test('shipping-rates/ruleset.json is the output of generate.ts for the tables', () => {
  const folder = join(EXAMPLES, 'shipping-rates')
  expect(readFileSync(join(folder, 'ruleset.json'), 'utf8')).toBe(rulesetText(folder))
})
