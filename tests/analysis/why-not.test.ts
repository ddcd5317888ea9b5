import { analyze, whyNot } from '@engine/analysis'
import { stringifyJson, type Value } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { expect, test, vi } from 'vitest'
import { Follower } from '../../packages/analysis/src/witness/trail.ts'
import { pick, seededRandom } from '../../packages/ruleset/src/random.testing.ts'
import { casesOf, limitOf, printSeed, SEED } from '../cases.testing.ts'
import { combination, countOf, decoded, smallRuleset, valuesOf } from './soundness.testing.ts'

const CREDIT: RulesetDocument = {
  config: { name: 'credit', entry_step: 'd' },
  steps: {
    d: {
      id: 'd',
      type: 'decision',
      branches: [
        { condition: 'age < 18', next_step: 'DENY' },
        { condition: 'score > 620 && income * 12 >= 24000', next_step: 'ALLOW' },
        { condition: 'employer.verified == true && score > 580', next_step: 'REVIEW' },
      ],
      default_next: 'DENY',
    },
    ...Object.fromEntries(
      ['ALLOW', 'REVIEW', 'DENY'].map((code) => [code, { id: code, type: 'terminal', result: { code, message: '' } }]),
    ),
  },
}

test.each([
  [
    'one field beyond its limit',
    'ALLOW',
    undefined,
    { score: 600, income: 2500, age: 30 },
    [{ path: 'score', from: 600, to: 620.01 }],
  ],
  [
    'one field at its limit',
    'ALLOW',
    undefined,
    { score: 700, income: 1000, age: 30 },
    [{ path: 'income', from: 1000, to: 2000 }],
  ],
  [
    'a field that is not there',
    'REVIEW',
    undefined,
    { score: 600, income: 0, age: 30 },
    [{ path: 'employer.verified', to: true }],
  ],
  ['nothing: it has the code', 'DENY', undefined, { score: 1, income: 0, age: 30 }, []],
  [
    'two fields',
    'ALLOW',
    undefined,
    { score: 600, income: 1000, age: 30 },
    [
      { path: 'score', from: 600, to: 620.01 },
      { path: 'income', from: 1000, to: 2000 },
    ],
  ],
] as const)('names %s', (_name, code, changeable, input, changes) => {
  const found = whyNot(decoded(CREDIT), input, { code, ...(changeable === undefined ? {} : { changeable }) })
  expect(found).toMatchObject({ verdict: 'found', fewest: 'proved' })
  expect([...found.changes].sort((one, other) => (one.path < other.path ? -1 : 1))).toEqual(
    [...changes].sort((one, other) => (one.path < other.path ? -1 : 1)),
  )
})

test.each([
  ['no changeable field leads there', { code: 'ALLOW', changeable: ['employer'] }],
  ['no result has the code', { code: 'MAYBE' }],
])('proves that it is impossible: %s', (_name, options) => {
  const found = whyNot(decoded(CREDIT), { score: 600, income: 2500, age: 30 }, options)
  expect(found).toMatchObject({ verdict: 'impossible', changes: [], fewest: 'proved' })
})

test('the input of a gap is changed where generated code is forbidden', () => {
  const ends = [['ALLOW', { id: 'ALLOW', type: 'terminal', result: { code: 'ALLOW', message: '' } }]]
  const steps = {
    ...Object.fromEntries(ends),
    d: { id: 'd', type: 'decision', branches: [{ condition: 'age >= 18', next_step: 'ALLOW' }] },
  }
  const ruleset = decoded({ config: { name: 'gap', entry_step: 'd' }, steps })
  const generate = vi.spyOn(globalThis, 'Function').mockImplementation(() => {
    throw new EvalError('unsafe-eval')
  })
  try {
    const gap = analyze(ruleset, { compiles: false }).findings.find(({ kind }) => kind === 'gap')
    const found = whyNot(ruleset, gap?.witness?.input ?? {}, { code: 'ALLOW', compiles: false })
    expect(found).toMatchObject({ verdict: 'found', changes: [{ path: 'age', to: 18 }] })
    expect(generate).not.toHaveBeenCalled()
  } finally {
    generate.mockRestore()
  }
})

const COUNT = casesOf(150)
const LIMIT = { timeout: limitOf(COUNT, 3000) }

test(`${COUNT} counterfactuals give the code, and a single field is not enough where more are named`, LIMIT, () => {
  printSeed(COUNT)
  const random = seededRandom(SEED)
  const verdicts = { found: 0, impossible: 0, unknown: 0 }
  for (let count = 0; count < COUNT; count++) {
    const document = smallRuleset(random)
    const ruleset = decoded(document)
    const follower = new Follower(ruleset)
    const codeOf = (input: Value): string | undefined => {
      const { side } = follower.follow(input)
      return side === undefined || 'error' in side ? undefined : side.code
    }
    const values = valuesOf(ruleset)
    const input = combination(Math.floor(random() * countOf(values)), values)
    const code = pick(random, ['A', 'B', 'C'])
    const found = whyNot(ruleset, input, { code })
    verdicts[found.verdict]++
    const about = stringifyJson({ document, input, code })
    if (found.verdict === 'found') expect(found.witness && codeOf(found.witness.input), about).toBe(code)
    const isProvedFewest = found.fewest === 'proved' && found.changes.length > 1
    for (const [name, choices] of Object.entries(values)) {
      for (const value of choices) {
        const { [name]: _old, ...rest } = input
        const changed = value === undefined ? rest : { ...rest, [name]: value }
        if (codeOf(changed) === code && (isProvedFewest || found.verdict === 'impossible'))
          expect.fail(`${found.verdict} with ${found.changes.length} changes, but ${stringifyJson(changed)}: ${about}`)
      }
    }
  }
  console.log(verdicts)
  if (COUNT >= 15) expect(verdicts.found).toBeGreaterThan(0)
})
