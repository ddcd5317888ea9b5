import { analyze, createSession, type Report } from '@engine/analysis'
import type { RulesetDocument } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { chance, inRange, seededRandom } from '../../packages/ruleset/src/random.testing.ts'
import { Follower } from '../../packages/analysis/src/witness/trail.ts'
import { casesOf, printSeed, SEED } from '../cases.testing.ts'
import { mutatedRuleset, rewrittenRuleset } from './pairs.testing.ts'
import { combination, contradiction, decoded, smallRuleset, unshown } from './soundness.testing.ts'

/** Certain claims, by kind and place. */
const certain = ({ findings }: Report) =>
  new Map(
    findings.map(({ kind, place, code, error, verdict }) => [`${kind} ${place} ${code ?? ''} ${error ?? ''}`, verdict]),
  )

test('after each of many edits a session agrees with executions and with an analysis from the beginning', () => {
  const random = seededRandom(SEED)
  const versions = casesOf(150, 4)
  printSeed(versions)
  for (let count = 0; count < versions;) {
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
