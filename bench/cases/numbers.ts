import { defined } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { program } from '../engines.ts'
import { CASES } from '../decisions.ts'
import { compare, round, type Side, table } from '../measure.ts'

/** A step of the compared rulesets. */
type Step = { readonly id: string } & Readonly<Record<string, unknown>>

const terminal = (id: string, output: readonly (readonly [string, string])[] = []): Step => ({
  id,
  type: 'terminal',
  result: { code: id, message: id, output },
})

const decision = (id: string, condition: string, yes: string, no: string): Step => ({
  id,
  type: 'decision',
  branches: [{ condition, next_step: yes }],
  default_next: no,
})

const action = (id: string, values: readonly (readonly [string, string])[], next: string): Step => ({
  id,
  type: 'action',
  actions: values.map(([name, value]) => ({ action: 'set_variable', name, value })),
  next_step: next,
})

/** The credit case of `in-process`: 17 steps that only compare. */
function comparisons(): readonly Step[] {
  const credit = CASES.find(({ name }) => name.startsWith('credit'))
  if (credit === undefined) throw new Error('the credit case is missing')
  const { branches, otherwise } = credit
  const decisions = branches.map(({ when, code }, index) => {
    const condition = when.map(([path, operator, value]) => `${path} ${operator} ${JSON.stringify(value)}`).join(' && ')
    return decision(`d${index}`, condition, code, index + 1 < branches.length ? `d${index + 1}` : otherwise)
  })
  return [...decisions, ...branches.map(({ code }) => terminal(code)), terminal(otherwise)]
}

interface Money {
  readonly tax: string
  readonly rate: string
}

/** A price of 17 steps with ten operations. */
function money({ tax, rate }: Money): readonly Step[] {
  const total = ['total', '$total'] as const
  return [
    action(
      'a0',
      [
        ['net', 'order.price * order.qty'],
        ['fee', 'order.price * 0.015'],
      ],
      'd0',
    ),
    decision('d0', '$net <= 0', 'NONE', 'd1'),
    decision('d1', 'customer.tier == "gold"', 'a1', 'd2'),
    decision('d2', 'customer.tier == "silver"', 'a2', 'a3'),
    action('a1', [['rebate', '$net * 0.1']], 'a4'),
    action('a2', [['rebate', '$net * 0.05']], 'a4'),
    action('a3', [['rebate', '0']], 'a4'),
    action(
      'a4',
      [
        ['taxed', '$net - $rebate + $fee'],
        ['tax', tax],
        ['total', '$taxed + $tax'],
      ],
      'd3',
    ),
    decision('d3', 'credit.debt + $total > credit.income * 0.4', 'LIMIT', 'd4'),
    decision('d4', 'credit.score < 520', 'SCORE', 'a5'),
    action('a5', [['rate', rate]], 'd5'),
    decision('d5', '$rate > 99.99', 'RATES', 'CASH'),
    terminal('NONE'),
    terminal('LIMIT'),
    terminal('SCORE'),
    terminal('RATES', [total, ['rate', '$rate']]),
    terminal('CASH', [total, ['rate', '$rate'], ['sum', '0.1 + 0.2']]),
  ]
}

interface Amounts {
  readonly price: (index: number) => number
  readonly income: (index: number) => number
}

/** Amounts of two places. */
const CENTS: Amounts = {
  price: (index) => ((index * 7919) % 100_000) / 100,
  income: (index) => (2_000_000 + ((index * 3571) % 8_000_000)) / 100,
}

function inputsOf({ price, income }: Amounts): readonly RulesetDocument[] {
  return Array.from({ length: 512 }, (_, index) => ({
    order: {
      price: price(index),
      qty: 1 + (index % 9),
      total: (index * 37) % 1500,
      items: 1 + (index % 9),
      express: index % 5 === 0,
    },
    customer: {
      tier: ['gold', 'silver', 'none'][index % 3] ?? 'none',
      age: 12 + ((index * 7) % 70),
      country: ['DE', 'US', 'FR'][index % 3] ?? 'DE',
      years: index % 11,
    },
    credit: {
      debt: ((index * 104_729) % 1_000_000) / 100,
      income: income(index),
      score: 480 + ((index * 13) % 380),
      defaults: index % 17 === 0 ? 1 : 0,
    },
  }))
}

const INPUTS = inputsOf(CENTS)

interface Shape {
  readonly name: string
  readonly bar: number
  readonly steps: readonly Step[]
  readonly inputs?: readonly RulesetDocument[]
}

const UNROUNDED = money({ tax: '$taxed * 0.19', rate: '$total * 0.08' })

const SHAPES: readonly Shape[] = [
  { name: 'comparisons only', bar: 1, steps: comparisons() },
  {
    name: 'money with `round`',
    bar: 1,
    steps: money({ tax: 'round($taxed * 0.19, 2)', rate: 'round($total / 12, 2)' }),
  },
  { name: 'ten operations, not rounded', bar: 3.5, steps: UNROUNDED },
  {
    name: 'the same, prices of four places',
    bar: 3.5,
    steps: UNROUNDED,
    inputs: inputsOf({ ...CENTS, price: (index) => ((index * 7919) % 10_000_000) / 10_000 }),
  },
  {
    // As a sender that adds doubles has them: 22463.989999999998.
    name: 'the same, every eighth income of 17 digits',
    bar: 3.5,
    steps: UNROUNDED,
    inputs: inputsOf({ ...CENTS, income: (index) => 20_000 + ((index * 3571) % 8_000_000) / 100 }),
  },
]

/** Twelve fields of several types. */
const FIELDS = [
  { name: 'order.price', type: 'decimal', required: true, digits: 9, decimals: 2 },
  { name: 'order.qty', type: 'number', required: true, minimum: 1 },
  { name: 'order.total', type: 'number', required: true },
  { name: 'order.items', type: 'number', required: true },
  { name: 'order.express', type: 'boolean', required: true },
  { name: 'customer.tier', type: 'string', required: true, enum: ['gold', 'silver', 'none'] },
  { name: 'customer.age', type: 'number', required: true, minimum: 0, maximum: 150 },
  { name: 'customer.country', type: 'string', required: true },
  { name: 'customer.years', type: 'number', required: false },
  { name: 'credit.debt', type: 'decimal', required: true, digits: 12, decimals: 2 },
  { name: 'credit.score', type: 'number', required: true },
  { name: 'credit.defaults', type: 'number', required: false },
]

interface Settings {
  readonly numbers: string
  readonly mode?: string
}

function sideOf(
  name: string,
  { steps, inputs = INPUTS }: Omit<Shape, 'name' | 'bar'>,
  { numbers, mode }: Settings,
): Side {
  const contract = mode && {
    contract: { mode, contract: { name: 'order', version: '1.0.0', input: { fields: FIELDS } } },
  }
  const document = {
    config: { name: 'money', entry_step: steps[0]?.id ?? '', numbers, ...contract },
    steps: Object.fromEntries(steps.map((step) => [step.id, step])),
  }
  const running = program(document as unknown as RulesetDocument)
  const checked = mode === undefined ? undefined : running.violations.bind(running)
  return {
    name,
    times: 200_000,
    run(count) {
      for (let index = 0; index < count; index++) {
        const input = defined(inputs[index & 511])
        sink += checked === undefined ? (running.decide(input) as { code: string }).code.length : checked(input).length
      }
    },
  }
}

let sink = 0

/** Part of the names of the rows that are measured. A row alone is faster: no other program shares the code that calls it. */
const CHOSEN = process.env['NUMBERS'] ?? ''

/** Decimal rulesets compared with the same rules on doubles, and the check of a contract. */
export async function numberSpeed(): Promise<void> {
  const rows: (string | number)[][] = []
  for (const { name, bar, ...shape } of SHAPES.filter((each) => each.name.includes(CHOSEN))) {
    const times = await compare([
      sideOf('double', shape, { numbers: 'double' }),
      sideOf('decimal', shape, { numbers: 'decimal' }),
    ])
    const double = times.get('double') ?? Number.NaN
    const decimal = times.get('decimal') ?? Number.NaN
    rows.push([name, double, decimal, `${round(decimal / double)}x`, `${bar.toFixed(1)}x`])
  }
  table(['ruleset', 'doubles, ns', 'decimals, ns', 'ratio', 'bar'], rows)
  console.log('')
  const check = await compare([sideOf('contract', { steps: comparisons() }, { numbers: 'decimal', mode: 'enforce' })])
  table(
    ['check', 'ns', 'bar'],
    [[`a contract of ${FIELDS.length} fields`, check.get('contract') ?? Number.NaN, '30 ns']],
  )
}
