import type { ObjectValue } from '@engine/expression'
import { expect, test } from 'vitest'
import { generateCases } from './generate-cases.ts'
import { decision, result, rulesetOf } from './reports.testing.ts'

test.each<[what: string, steps: ObjectValue, cases: readonly object[]]>([
  [
    'branches, a default and results',
    {
      d: decision(
        [
          ['n == 1', 'X'],
          ['n == 2', 'Y'],
        ],
        'N',
      ),
    },
    [
      { name: 'default of d, result N', input: {}, expect: { code: 'N', output: {} } },
      { name: 'branch 0 of d, result X', input: { n: 1 }, expect: { code: 'X', output: {} } },
      { name: 'branch 1 of d, result Y', input: { n: 2 }, expect: { code: 'Y', output: {} } },
    ],
  ],
  [
    'a gap',
    { d: decision([['n == 1', 'X']]) },
    [
      { name: 'branch 0 of d, result X', input: { n: 1 }, expect: { code: 'X', output: {} } },
      { name: 'no branch of d', input: {}, expect: { error: 'no-branch' } },
    ],
  ],
  [
    'a step with blanks in its name, and outputs',
    {
      d: decision([['n == 1', 'a step']], 'N'),
      'a step': decision([['m == 1', 'X']], 'Y'),
      X: result('X', { output: [['o', 'n']] }),
    },
    [
      {
        name: 'branch 0 of a step, result X',
        input: { n: 1, m: 1 },
        expect: { code: 'X', output: { o: 1 } },
      },
      { name: 'default of d, result N', input: {}, expect: { code: 'N', output: {} } },
      { name: 'branch 0 of d, default of a step, result Y', input: { n: 1 }, expect: { code: 'Y', output: {} } },
    ],
  ],
  [
    'the time',
    { d: decision([['now_millis() == 5', 'X']], 'N') },
    [
      { name: 'default of d, result N', input: {}, expect: { code: 'N', output: {} } },
      { name: 'branch 0 of d, result X', input: {}, now: 5, expect: { code: 'X', output: {} } },
    ],
  ],
])('cases take %s', (_what, steps, cases) => {
  const found = generateCases(rulesetOf(steps))
  expect(found.toSorted((one, other) => (one.name < other.name ? -1 : 1))).toEqual(
    cases.toSorted((one, other) => ((one as { name: string }).name < (other as { name: string }).name ? -1 : 1)),
  )
})
