import { analyze, createSession, type Report } from '@engine/analysis'
import type { RulesetDocument } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { chance, inRange, seededRandom } from '../../packages/ruleset/src/random.testing.ts'
import { Follower } from '../../packages/analysis/src/witness/trail.ts'
import { casesOf, limitOf, printSeed, SEED } from '../cases.testing.ts'
import { mutatedRuleset, rewrittenRuleset } from './pairs.testing.ts'
import { combination, contradiction, decoded, smallRuleset, unshown } from './soundness.testing.ts'

/** Certain claims, by kind and place. */
const certain = ({ findings }: Report) =>
  new Map(
    findings.map(({ kind, place, code, error, verdict }) => [`${kind} ${place} ${code ?? ''} ${error ?? ''}`, verdict]),
  )

const VERSIONS = casesOf(150, 4)
const LIMIT = { timeout: limitOf(VERSIONS, 4000) }

test('after each of many edits a session agrees with executions and with an analysis from the beginning', LIMIT, () => {
  const random = seededRandom(SEED)
  printSeed(VERSIONS)
  for (let count = 0; count < VERSIONS;) {
    let document: RulesetDocument = smallRuleset(random)
    const session = createSession(decoded(document))
    for (let edit = inRange(random, 1, 6); edit > 0; edit--, count++) {
      document = chance(random, 0.1)
        ? smallRuleset(random)
        : chance(random, 0.3)
          ? rewrittenRuleset(random, document)
          : mutatedRuleset(random, document)
      const ruleset = decoded(document)
      const report = session.update(ruleset)
      const text = JSON.stringify(document)
      expect(session.report).toBe(report)
      expect(unshown(report, ruleset), text).toBeUndefined()
      const follower = new Follower(ruleset)
      for (let sample = 0; sample < 60; sample++) {
        const input = combination(inRange(random, 0, 1e6))
        expect(contradiction(report, follower.follow(input)), text).toBeUndefined()
      }
      const fresh = certain(analyze(ruleset))
      for (const [key, verdict] of certain(report))
        if (verdict !== 'unknown' && fresh.has(key) && fresh.get(key) !== 'unknown')
          expect([key, verdict], text).toEqual([key, fresh.get(key)])
    }
  }
})

const table = (limit: string, code = 'X') =>
  decoded({
    config: { name: 'table', entry_step: 'd' },
    steps: {
      d: {
        id: 'd',
        type: 'decision',
        branches: [
          { condition: 'amount > 100', next_step: 'a' },
          { condition: `amount > ${limit}`, next_step: 'b' },
        ],
        default_next: 'b',
      },
      a: { id: 'a', type: 'terminal', result: { code: 'A', message: '' } },
      b: { id: 'b', type: 'terminal', result: { code, message: '' } },
    },
  })

test('a finding appears with an edit and disappears with the next', () => {
  const session = createSession(table('50'))
  const kinds = () => session.report.findings.map(({ kind }) => kind).filter((kind) => kind !== 'can_fail')
  expect(kinds()).toEqual([])
  session.update(table('200'))
  expect(kinds()).toEqual(['shadowed'])
  session.update(table('50'))
  expect(kinds()).toEqual([])
  // Another result: every input is executed again.
  session.update(table('200', 'Y'))
  expect(kinds()).toEqual(['shadowed'])
})

test('a session has an input for each branch and default that one takes', () => {
  const session = createSession(table('50'))
  const amountFor = (branch?: number) => session.inputFor('d', branch)?.input['amount']
  expect(Number(amountFor(0))).toBeGreaterThan(100)
  expect(Number(amountFor(1))).toBeGreaterThan(50)
  expect(Number(amountFor(1))).toBeLessThanOrEqual(100)
  expect(session.inputFor('d')).toBeDefined()
  session.update(table('200'))
  expect(session.inputFor('d', 1)).toBeUndefined()
})

/** A sub-rule that compares one field with 1. */
const bound = (field: string) =>
  decoded({
    config: { name: 'bound', entry_step: 'use' },
    sub_rules: {
      is_one: {
        entry_step: 'd',
        steps: {
          d: { id: 'd', type: 'decision', branches: [{ condition: 'x == 1', next_step: 'yes' }], default_next: 'no' },
          yes: { id: 'yes', type: 'terminal', result: { code: 'YES', message: '' } },
          no: { id: 'no', type: 'terminal', result: { code: 'NO', message: '' } },
        },
      },
    },
    steps: {
      use: { id: 'use', type: 'sub_rule', ref_name: 'is_one', bindings: [['x', field]], outputs: [], next_step: 'end' },
      end: { id: 'end', type: 'terminal', result: { code: 'END', message: '' } },
    },
  })

test('an edited binding of a sub-rule changes the inputs that take its branches, whose texts are the same', () => {
  const session = createSession(bound('a'))
  expect(session.inputFor('use/d', 0)?.input).toEqual({ a: 1 })
  session.update(bound('b'))
  expect(session.inputFor('use/d', 0)?.input['b']).toBe(1)
})

/** A table with a row for each condition. */
const rows = (name: string, conditions: readonly string[]) =>
  decoded({
    config: { name, entry_step: 'd' },
    steps: {
      d: {
        id: 'd',
        type: 'decision',
        branches: conditions.map((condition) => ({ condition, next_step: 'a' })),
        default_next: 'b',
      },
      a: { id: 'a', type: 'terminal', result: { code: 'A', message: '' } },
      b: { id: 'b', type: 'terminal', result: { code: 'B', message: '' } },
    },
  })

const ROWS = Array.from({ length: 40 }, (_, index) => index)
const EDITS = casesOf(1000, 4)

test(`what a session keeps does not grow with ${EDITS} edits`, { timeout: limitOf(EDITS, 400) }, () => {
  printSeed(EDITS)
  const random = seededRandom(SEED)
  /** One row has another limit. */
  const edited = (row: number, limit: number) =>
    rows(
      'edited',
      ROWS.map((index) => `amount > ${index === row ? limit : 0} && kind == "k${index}"`),
    )
  const session = createSession(edited(0, 0))
  const first = session.kept()
  expect(first.proofs).toBeGreaterThan(0)
  for (let edit = 1; edit <= EDITS; edit++) {
    session.update(edited(inRange(random, 0, ROWS.length - 1), edit))
    const { formulas, proofs, inputs } = session.kept()
    expect(formulas).toBeLessThan(20_000 + 4 * first.formulas)
    expect(proofs).toBeLessThanOrEqual(2 * first.proofs)
    expect(inputs).toBeLessThanOrEqual(2 * first.inputs)
  }
})

test('formulas begin anew when whole versions are replaced', () => {
  const versionOf = (field: string) =>
    rows(
      'replaced',
      ROWS.map((index) => `${field} == "${field} ${index}" && amount > ${index} && amount < ${index + 7}`),
    )
  const session = createSession(versionOf('f'))
  const sizes = Array.from({ length: 12 }, (_, version) => {
    session.update(versionOf(`f${version}`))
    return session.kept().formulas
  })
  expect(sizes.some((size, version) => size < (sizes[version - 1] ?? 0))).toBe(true)
  expect(session.report.questions).toEqual(createSession(versionOf('f11')).report.questions)
})
