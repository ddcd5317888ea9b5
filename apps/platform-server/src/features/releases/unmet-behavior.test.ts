import { describe, expect, test } from 'vitest'
import type { ReleaseAnalysis, RulesetAnalysis, TargetImpact } from './analysis.ts'
import type { Found } from './request.ts'
import type { RequiredBehavior } from './requirements.ts'
import { unmetBehavior } from './unmet-behavior.ts'

const FOUND = {
  environments: [{ id: 'e1', name: 'prod' }],
  rulesets: [{ name: 'rate' }, { name: 'fee' }],
} as unknown as Found
const impact = (gates: TargetImpact['gates'], more: object = {}): TargetImpact =>
  ({
    environment: 'prod',
    ruleset: 'fee',
    gates,
    diff: { unknown: [] },
    records: null,
    ...more,
  }) as unknown as TargetImpact
const NOTHING: ReleaseAnalysis = { analyses: [], impacts: [] }

const refused = (analysis: Partial<ReleaseAnalysis>, required: readonly RequiredBehavior[] = []) =>
  unmetBehavior({ ...NOTHING, ...analysis }, required, FOUND).map(({ problems }) =>
    problems.map(({ path, code, message }) => `${code} ${path} ${message}`),
  )

const RECORDS = {
  total: 3,
  replayed: 3,
  changed: 2,
  transitions: [{ from: 'NO', to: 'YES', examples: [{ age: 17 }] }],
  not_replayed: [],
}
const limit = { gate: 'max-changed 2%', verdict: 'refuted' } as const
const many = 'max_changed /rulesets/1 `prod` allows 2% of the recorded decisions of `fee` to change, and'

describe('a change of decisions', () => {
  test.each<[title: string, impact: TargetImpact, expected: readonly string[]]>([
    ['is accepted where its absence is proved', impact([{ gate: 'NO->YES', verdict: 'proved' }]), []],
    [
      'is refused with its witness',
      impact([{ gate: 'NO->YES', verdict: 'refuted', witness: { input: { age: 17 } } }]),
      ['forbidden_transition /rulesets/1 `prod` forbids `NO->YES`, and `fee` changes so for the input {"age":17}'],
    ],
    [
      'is refused where it is unknown, with the reason',
      impact([{ gate: 'NO->YES', verdict: 'unknown' }], { diff: { unknown: [{ reason: 'it calls `score`' }] } }),
      [
        'forbidden_transition /rulesets/1 `prod` forbids `NO->YES`, and whether `fee` changes so is unknown: it calls `score`',
      ],
    ],
    [
      'is refused where the search ended',
      impact([{ gate: 'NO->YES', verdict: 'unknown' }]),
      [
        'forbidden_transition /rulesets/1 `prod` forbids `NO->YES`, and whether `fee` changes so is unknown: the search reached its limit',
      ],
    ],
    [
      'is refused where too many records change, with an example',
      impact([limit], { records: RECORDS }),
      [`${many} 2 of 3 do, such as {"age":17}: NO -> YES`],
    ],
    [
      'is refused without an example',
      impact([limit], { records: { ...RECORDS, transitions: [] } }),
      [`${many} 2 of 3 do`],
    ],
    ['is refused without records', impact([limit]), [`${many} none could be replayed: record decisions there first`]],
    [
      'is refused where no record could be replayed, with the reason',
      impact([limit], { records: { ...RECORDS, replayed: 0, not_replayed: [{ reason: 'no input', count: 3 }] } }),
      [`${many} none could be replayed: no input`],
    ],
    [
      'is accepted where few records change',
      impact([{ gate: 'max-changed 2%', verdict: 'proved' }], { records: RECORDS }),
      [],
    ],
  ])('%s', (_title, one, expected) => {
    expect(refused({ impacts: [one] }).flat()).toEqual(expected)
  })

  test('of each kind is one refusal, forbidden transitions first', () => {
    const kinds = [
      impact([limit, { gate: 'A->B', verdict: 'unknown' }]),
      impact([{ gate: 'C->D', verdict: 'unknown' }]),
    ]
    expect(refused({ impacts: kinds }).map((details) => details.map((detail) => detail.split(' ')[0]))).toEqual([
      ['forbidden_transition', 'forbidden_transition'],
      ['max_changed'],
    ])
  })

  test('is named up to the twentieth', () => {
    const gates = Array.from({ length: 21 }, (_, index) => ({ gate: `A->B${index}`, verdict: 'unknown' as const }))
    expect(refused({ impacts: [impact(gates)] })[0]).toHaveLength(20)
  })

  test('is answered with the gates of the rulesets', () => {
    const gates = [{ gate: 'A->B', verdict: 'unknown' as const }]
    const [blocker] = unmetBehavior({ ...NOTHING, impacts: [impact(gates)] }, [], FOUND)
    expect(blocker?.error).toMatchObject({
      current: { impacts: [{ environment: 'prod', ruleset: 'fee', gates }] },
    })
  })
})

describe('coverage', () => {
  const requires = (coverage: RequiredBehavior['coverage']): RequiredBehavior[] => [
    { environmentId: 'e1', forbid: [], maxChanged: null, coverage },
  ]
  const share = (percent: number, ...missing: readonly string[]) => ({ percent, missing })
  const FULL = { branches: share(100), conditions: share(100), boundaries: share(100), mutants: share(100) }
  const analysed = (coverage: RulesetAnalysis['coverage']) => ({
    analyses: [{ ruleset: 'fee', coverage } as unknown as RulesetAnalysis],
  })
  test.each<
    [title: string, coverage: RulesetAnalysis['coverage'], required: RequiredBehavior['coverage'], expected: string[]]
  >([
    ['is required by no policy', { ...FULL, branches: share(0) }, null, []],
    ['suffices at the limit', { ...FULL, branches: share(80) }, { branches: 80 }, []],
    [
      'is too low, with what is missing',
      { ...FULL, branches: share(79.99, '/steps/0') },
      { branches: 80 },
      ['branches of `fee` to be covered by cases, and 79.9% are, not /steps/0'],
    ],
    ['is of another measure', { ...FULL, branches: share(0) }, { mutants: 80 }, []],
    [
      'is required of each measure',
      { branches: share(1), conditions: share(2), boundaries: share(3), mutants: share(4) },
      { branches: 80, conditions: 80, boundaries: 80, mutants: 80 },
      ['branches', 'conditions', 'boundaries', 'mutants'].map(
        (measure, index) => `${measure} of \`fee\` to be covered by cases, and ${index + 1}% are`,
      ),
    ],
    ['is unknown', null, { branches: 0 }, ['branches of `fee` to be covered by cases, and they could not be measured']],
  ])('%s', (_title, coverage, required, expected) => {
    const least = Object.values(required ?? {})[0]
    expect(refused(analysed(coverage), requires(required)).flat()).toEqual(
      expected.map((text) => `coverage /rulesets/1 \`prod\` requires ${least}% of ${text}`),
    )
  })

  test('of an environment that was removed is named by its id', () => {
    const required = requires({ branches: 80 }).map((one) => ({ ...one, environmentId: 'e2' }))
    expect(refused(analysed(null), required)[0]?.[0]).toContain('`e2` requires 80%')
  })
})
