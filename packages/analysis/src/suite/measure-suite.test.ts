import { decodeRuleset, type Ruleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { measureSuite } from './measure-suite.ts'

function ruleset(conditions: readonly string[]): Ruleset {
  const { ruleset: decoded, problems } = decodeRuleset({
    config: { name: 'limit', entry_step: 'd' },
    steps: {
      d: {
        id: 'd',
        type: 'decision',
        branches: conditions.map((condition, index) => ({ condition, next_step: `r${index}` })),
        default_next: 'none',
      },
      ...Object.fromEntries(
        [...conditions.map((_, index) => `r${index}`), 'none'].map((id) => [
          id,
          { id, type: 'terminal', result: { code: id, message: '' } },
        ]),
      ),
    },
  })
  if (decoded === undefined) throw new Error(JSON.stringify(problems))
  return decoded
}

const measured = (conditions: readonly string[], inputs: readonly { readonly [field: string]: number | boolean }[]) =>
  measureSuite(
    ruleset(conditions),
    inputs.map((input) => ({ input })),
  )

describe('branches', () => {
  test.each([
    [[], 0, ['never taken', 'the default is never taken']],
    [[{ a: 5 }], 1, ['the default is never taken']],
    [[{ a: 5 }, { a: 0 }], 2, []],
  ])('%j take %d of 2', (inputs, covered, missing) => {
    const { branches } = measured(['a > 1'], inputs)
    expect([branches.covered, branches.total, branches.missing.map(({ what }) => what)]).toEqual([covered, 2, missing])
  })
})

describe('conditions: an atom is covered when two cases show that it decides', () => {
  test.each<[condition: string, inputs: { a?: boolean; b?: boolean; c?: boolean }[], missing: string[]]>([
    ['a && b', [{ a: true, b: true }], ['a', 'b']],
    [
      'a && b',
      [
        { a: true, b: true },
        { a: false, b: false },
      ],
      ['b'],
    ],
    [
      'a && b',
      [
        { a: true, b: true },
        { a: false, b: true },
        { a: true, b: false },
      ],
      [],
    ],
    [
      'a || b',
      [
        { a: false, b: false },
        { a: true, b: true },
        { a: false, b: true },
      ],
      [],
    ],
    [
      'a && !b',
      [
        { a: true, b: true },
        { a: true, b: false },
      ],
      ['a'],
    ],
    // `c` was never evaluated where it decides.
    ['a || b && c', [{ a: true }, { a: false, b: false }, { a: false, b: true, c: true }], ['c']],
  ])('%s by %j leaves %j', (condition, inputs, missing) => {
    const { conditions } = measured([condition], inputs)
    expect(conditions.missing.map(({ what }) => what)).toEqual(missing)
  })
})

describe('boundaries', () => {
  test.each([
    [[{ a: 18 }], ['a < 18', 'a > 18']],
    [[{ a: 17 }, { a: 18 }, { a: 19 }], []],
    [[{ a: true }], ['a < 18', 'a == 18', 'a > 18']],
  ])('%j leave %j', (inputs, missing) => {
    expect(measured(['a >= 18'], inputs).boundaries.missing.map(({ what }) => what)).toEqual(missing)
  })
})

describe('mutants', () => {
  test('a changed limit survives a suite without the limit, with the input that is missing', () => {
    const { mutants } = measured(['a >= 18'], [{ a: 3 }, { a: 40 }])
    expect(mutants).toMatchObject({
      total: 1,
      killed: 0,
      equivalent: 0,
      survivors: [{ place: '/steps/d/branches/0', change: '(a >= 18) -> (a > 18)', witness: { input: { a: 18 } } }],
      truncated: false,
    })
    expect(measured(['a >= 18'], [{ a: 18 }]).mutants).toMatchObject({ total: 1, killed: 1, survivors: [] })
  })

  test('one that is proved equivalent does not count against the suite', () => {
    // A value that is not 5 there is greater.
    const { mutants } = measured(['!is_number(a) || a < 5', 'a == 5', 'a > 5'], [{ a: 4 }, { a: 5 }, { a: 6 }])
    expect(mutants.equivalent).toBe(1)
    expect(mutants.survivors.map(({ change }) => change)).not.toContain('(a > 5) -> (a >= 5)')
  })

  test('those after the budget survive without an input', () => {
    const { mutants } = measureSuite(ruleset(['a >= 18']), [{ input: { a: 3 } }], { budget: 0 })
    expect(mutants).toEqual({
      total: 1,
      killed: 0,
      equivalent: 0,
      survivors: [{ place: '/steps/d/branches/0', change: '(a >= 18) -> (a > 18)' }],
      truncated: false,
    })
  })

  test('the budget is for all searches together', () => {
    const { mutants } = measureSuite(ruleset(['a >= 18 && b >= 18']), [{ input: { a: 3 } }], { budget: 4_000_000 })
    expect(mutants.survivors.map(({ change, witness }) => [change, witness !== undefined])).toEqual([
      ['((a >= 18) && (b >= 18)) -> ((a >= 18) || (b >= 18))', true],
      ['(a >= 18) -> (a > 18)', true],
      ['(b >= 18) -> (b > 18)', false],
    ])
  })

  test.each([
    [2, 2, true],
    [4, 4, true],
    [5, 5, false],
    [6, 5, false],
  ])('at most %i are tried', (maxMutants, total, truncated) => {
    const { mutants } = measureSuite(ruleset(['a > 1 && b > 1 || c > 1']), [], { maxMutants, budget: 0 })
    expect([mutants.total, mutants.truncated]).toEqual([total, truncated])
  })
})

describe('cases of a ruleset that calls another one', () => {
  const { ruleset: calling, problems } = decodeRuleset({
    config: { name: 'calling', entry_step: 'ask' },
    steps: {
      ask: {
        id: 'ask',
        type: 'action',
        actions: [
          { action: 'call_ruleset', ruleset_name: 'limit', input_mapping: '{"a": a}', result_variable: 'found' },
        ],
        next_step: 'd',
      },
      d: {
        id: 'd',
        type: 'decision',
        branches: [{ condition: '$found.code == "r0"', next_step: 'yes' }],
        default_next: 'no',
      },
      yes: { id: 'yes', type: 'terminal', result: { code: 'YES', message: '' } },
      no: { id: 'no', type: 'terminal', result: { code: 'NO', message: '' } },
    },
  })
  if (calling === undefined) throw new Error(JSON.stringify(problems))
  const cases = [{ input: { a: 5 } }, { input: { a: 0 } }]

  test('are followed into it', () => {
    const { cut, branches, mutants } = measureSuite(calling, cases, {
      callees: new Map([['limit', ruleset(['a > 1'])]]),
    })
    expect([cut, branches.covered, branches.total]).toEqual([0, 2, 2])
    expect([mutants.killed, mutants.total]).toEqual([1, 1])
  })

  test('end at the call of one that is not there', () => {
    const { cut, branches, mutants } = measureSuite(calling, cases, { budget: 0 })
    expect([cut, branches.covered, branches.total]).toEqual([2, 0, 2])
    expect([mutants.killed, mutants.total]).toEqual([0, 1])
  })
})

describe('cases of a ruleset that awaits a service', () => {
  const { ruleset: asking, problems } = decodeRuleset({
    config: { name: 'asking', entry_step: 'ask' },
    steps: {
      ask: {
        id: 'ask',
        type: 'action',
        actions: [{ action: 'external_call', service: 's', method: 'rate', params: [], result_variable: 'rate' }],
        next_step: 'd',
      },
      d: {
        id: 'd',
        type: 'decision',
        branches: [{ condition: '$rate.payload >= 5 && now_millis() >= 1000', next_step: 'yes' }],
      },
      yes: { id: 'yes', type: 'terminal', result: { code: 'YES', message: '' } },
    },
  })
  if (asking === undefined) throw new Error(JSON.stringify(problems))

  test.each<
    [
      title: string,
      stubs: { 's.rate'?: number } | undefined,
      now: number,
      covered: number,
      boundaries: readonly string[],
      killed: number,
    ]
  >([
    ['an answer', { 's.rate': 7 }, 2000, 1, ['$rate.payload >', 'now_millis() >'], 0],
    ['an answer at the limit', { 's.rate': 5 }, 2000, 1, ['$rate.payload ==', 'now_millis() >'], 1],
    ['the time of the limit', { 's.rate': 7 }, 1000, 1, ['$rate.payload >', 'now_millis() =='], 1],
    ['a time before the limit', { 's.rate': 7 }, 999, 0, ['$rate.payload >', 'now_millis() <'], 1],
    ['an answer below the limit', { 's.rate': 4 }, 2000, 0, ['$rate.payload <'], 1],
    ['a call that fails', undefined, 2000, 0, [], 0],
  ])('%s', (_title, stubs, now, covered, reached, killed) => {
    const one = { input: {}, now, ...(stubs && { stubs }) }
    const { cut, branches, boundaries, mutants } = measureSuite(asking, [one], { budget: 0 })
    expect([cut, branches.covered, branches.total]).toEqual([0, covered, 1])
    const points = ['<', '==', '>'].flatMap((relation) =>
      ['$rate.payload', 'now_millis()'].map((operand) => `${operand} ${relation}`),
    )
    const missing = boundaries.missing.map(({ what }) => what.replace(/ \d+$/, ''))
    expect(points.filter((point) => !missing.includes(point)).toSorted()).toEqual(reached.toSorted())
    expect([mutants.killed, mutants.total]).toEqual([killed, 3])
  })
})
