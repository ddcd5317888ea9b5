import { defined } from '@engine/expression'

/** A condition on one field that all compared engines can express. */
export type Condition = readonly [
  path: string,
  operator: '==' | '>=' | '<' | 'in',
  value: string | number | boolean | readonly string[],
]

/** A decision in a form that every engine's own can be made from. The first branch that holds wins. */
export interface DecisionCase {
  readonly name: string
  /** Steps of our ruleset: a decision a branch, or one decision for all. */
  readonly steps: 'one' | 'each'
  readonly branches: readonly { readonly when: readonly Condition[]; readonly code: string }[]
  readonly otherwise: string
  readonly inputs: readonly object[]
}

const COUNTRIES = ['DE', 'AT', 'CH', 'FR', 'US', 'GB']
const TIERS = ['platinum', 'gold', 'silver', 'none']

/** JSON inputs as a server would parse them, all of one shape. */
const inputs: readonly object[] = Array.from(
  { length: 512 },
  (_, index) =>
    JSON.parse(
      JSON.stringify({
        customer: {
          age: 12 + ((index * 7) % 70),
          country: COUNTRIES[index % 6],
          tier: TIERS[(index >> 2) % 4],
          years: index % 11,
        },
        order: { total: (index * 37) % 1500, items: 1 + (index % 9), express: index % 5 === 0 },
        credit: { score: 480 + ((index * 13) % 380), defaults: index % 17 === 0 ? 1 : 0 },
      }),
    ) as object,
)

export const CASES: readonly DecisionCase[] = [
  {
    name: 'adult (3 steps)',
    steps: 'one',
    branches: [{ when: [['customer.age', '>=', 18]], code: 'ADULT' }],
    otherwise: 'MINOR',
    inputs,
  },
  {
    name: 'discount (6 steps)',
    steps: 'one',
    branches: [
      { when: [['customer.tier', '==', 'platinum']], code: 'P20' },
      {
        when: [
          ['customer.tier', '==', 'gold'],
          ['customer.years', '>=', 5],
        ],
        code: 'P15',
      },
      { when: [['customer.tier', '==', 'gold']], code: 'P10' },
      {
        when: [
          ['customer.tier', '==', 'silver'],
          ['order.total', '>=', 100],
        ],
        code: 'P5',
      },
    ],
    otherwise: 'P0',
    inputs,
  },
  {
    name: 'credit (17 steps)',
    steps: 'each',
    branches: [
      { when: [['customer.age', '<', 18]], code: 'AGE' },
      { when: [['credit.defaults', '>=', 1]], code: 'DEFAULT' },
      { when: [['customer.country', 'in', ['US', 'GB']]], code: 'COUNTRY' },
      { when: [['credit.score', '<', 520]], code: 'SCORE' },
      {
        when: [
          ['order.total', '>=', 1200],
          ['credit.score', '<', 640],
        ],
        code: 'LIMIT',
      },
      {
        when: [
          ['order.express', '==', true],
          ['credit.score', '<', 600],
        ],
        code: 'EXPRESS',
      },
      { when: [['credit.score', '>=', 760]], code: 'TOP' },
      { when: [['credit.score', '>=', 640]], code: 'GOOD' },
    ],
    otherwise: 'REVIEW',
    inputs,
  },
  {
    name: 'routing (61 steps)',
    steps: 'each',
    branches: Array.from({ length: 30 }, (_, index) => ({
      when: [
        ['customer.country', '==', defined(COUNTRIES[index % 6])],
        ['order.total', '>=', 1480 - index * 45],
      ] as const,
      code: `R${index}`,
    })),
    otherwise: 'NONE',
    inputs,
  },
  {
    name: 'screening (200 steps)',
    steps: 'each',
    branches: Array.from({ length: 99 }, (_, index) => ({
      when: [
        ['customer.age', '==', 12 + ((index * 3) % 70)],
        ['credit.score', '<', 480 + index * 3],
      ] as const,
      code: `S${index}`,
    })),
    otherwise: 'CLEAR',
    inputs,
  },
]
