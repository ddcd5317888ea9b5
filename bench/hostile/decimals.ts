import { action, decision, fill, MAX_BODY, post, repeat, type Row, rulesetOf, set } from './row.ts'

const MILLION = 1_000_000
const DECIMAL = { numbers: 'decimal' } as const
/** Room for the rest of a body. */
const SIZE = MAX_BODY - 400

/** Numbers as an input may have them, in so many bytes: digits and exponents without end. */
const NUMBERS: readonly (readonly [name: string, text: (bytes: number) => string])[] = [
  ['a fraction of 10^7 digits', (bytes) => `0.${'1'.repeat(bytes)}`],
  ['an integer of 300 digits, 30,000 times', (bytes) => `[${fill(bytes, '9'.repeat(300))}1]`],
  ['fractions of 40 digits', (bytes) => `[${fill(bytes, `0.${'1'.repeat(40)}`)}1]`],
  ['exponents', (bytes) => `[${fill(bytes, '1.5e-6000')}1]`],
  ['an exponent of 10^6 digits', () => `1e${'9'.repeat(MILLION)}`],
]

/** Adds up, so that each number of the input is read. */
const READ = rulesetOf('decimal-read', [decision('s0', ['type(a) == "number" || len(a) > 0'])], {
  ...DECIMAL,
  contract: {
    mode: 'enforce',
    contract: {
      name: 'read',
      version: '1.0.0',
      input: { fields: [{ name: 'a', type: 'any', required: true }] },
    },
  },
})

const LIMITED = rulesetOf('decimal-limited', [decision('s0', ['true'])], {
  ...DECIMAL,
  contract: {
    mode: 'enforce',
    contract: {
      name: 'limited',
      version: '1.0.0',
      input: { fields: [{ name: 'a', type: 'array<decimal>', required: true }] },
    },
  },
})

/** A loop that multiplies until its limit of steps or units. */
const grown = (name: string, begin: string, next: string): Row => ({
  name: `decimals: ${name}`,
  rulesets: [
    rulesetOf(
      `decimal-${name.replaceAll(/\W/g, '-')}`,
      [
        action('start', [set('x', begin)], 'loop'),
        action('loop', [set('x', next)], 'again'),
        decision('again', ['$x == 1.5'], 'YES', 'loop'),
      ],
      { ...DECIMAL, max_depth: 100_000 },
    ),
  ],
  request: () => post(`/execute/decimal-${name.replaceAll(/\W/g, '-')}`, { input: {} }),
})

const EVALUATED: readonly (readonly [name: string, expression: string])[] = [
  [
    'products of 34 digits',
    'any(range(0,1000000), i => any(range(0,1000000), j => 0.1234567890123456789012345678901234 * 9.876543210987654321 == j))',
  ],
  ['quotients', 'any(range(0,1000000), i => any(range(0,1000000), j => 1 / 7.000000000000000001 / (j + 3) == i))'],
  ['remainders of distant exponents', 'any(range(0,1000000), i => 1e308 % (1e-300 * (i + 1)) == 0.5)'],
  ['sums of distant exponents', 'any(range(0,1000000), i => 1e308 + 1e-308 * (i + 1) == 0.5)'],
  ['powers', 'any(range(0,1000000), i => pow(1.0000000000000000001 + i, 999) == 0.5)'],
  ['roots', 'any(range(0,1000000), i => sqrt(2.0000000000000000001 + i) == 0.5)'],
  ['a decimal of 10^6 digits', 'decimal(pad_left("", 1000000, "9"))'],
  ['a fraction of 10^6 digits', 'decimal("0." + pad_left("", 999998, "1"))'],
  ['a decimal with an exponent of 10^6 digits', 'decimal("1e" + pad_left("", 999998, "9"))'],
  ['rounding to every place', 'any(range(0,1000000), i => round(1 / 7, i % 33, "half_even") == 2)'],
]

export const DECIMALS: readonly Row[] = [
  ...EVALUATED.map(([name, expression]): Row => ({
    name: `decimals: eval: ${name}`,
    request: () => post('/eval', { expression, context: {}, ...DECIMAL }),
  })),
  ...NUMBERS.flatMap(([name, text]): readonly Row[] => [
    {
      name: `decimals: HTTP: ${name}`,
      rulesets: [READ],
      request: () => post('/execute/decimal-read', `{"input":{"a":${text(SIZE)}}}`),
    },
    {
      name: `decimals: batch: ${name}`,
      rulesets: [READ],
      request: () => post('/execute/decimal-read/batch', `{"inputs":[{"a":${text(SIZE)}}]}`),
    },
    {
      name: `decimals: lines: ${name}`,
      rulesets: [READ],
      request: () => post('/execute/decimal-read/batch', `{"a":${text(SIZE)}}\n`, 'application/x-ndjson'),
    },
    {
      name: `decimals: gRPC: ${name}`,
      rulesets: [READ],
      request: () => ({
        kind: 'grpc',
        method: 'Execute',
        message: { name: 'decimal-read', input_json: `{"a":${text(9 * MILLION)}}` },
      }),
    },
  ]),
  {
    name: 'decimals: a contract over a list of decimals',
    rulesets: [LIMITED],
    request: () => post('/execute/decimal-limited', `{"input":{"a":[${fill(SIZE, '1.2345678901234567')}1]}}`),
  },
  {
    name: 'decimals: a literal of 4,000 digits in a ruleset',
    request: () => post('/rulesets', rulesetOf('literal', [decision('s0', [`a == 0.${'1'.repeat(4000)}`])], DECIMAL)),
  },
  {
    name: 'decimals: a default of 10^7 digits in a ruleset',
    request: () =>
      post(
        '/rulesets',
        JSON.stringify(
          rulesetOf('default', [decision('s0', ['true'])], {
            ...DECIMAL,
            field_missing: 'default',
            defaults: { a: '@' },
          }),
        ).replace('"@"', `0.${'1'.repeat(SIZE)}`),
      ),
  },
  grown('squares', '1.000000001', '$x * $x'),
  grown('quotients', '3', '1 / ($x + 0.1)'),
  grown('powers', '1.000001', 'pow($x, 99)'),
  grown('integers', '3', '$x * $x % 1000000000000000000000000000000000000000000000001'),
  ...(['postgres', 'duckdb'] as const).flatMap((dialect): readonly Row[] => [
    {
      name: `decimals: sql: nested powers, ${dialect}`,
      rulesets: [
        rulesetOf(
          'decimal-powers',
          [decision('s0', [`${repeat(40, () => 'pow(')}a${repeat(40, () => ', 2)')} > 1`])],
          DECIMAL,
        ),
      ],
      request: () => post('/rulesets/decimal-powers/sql', { dialect, table: 't', columns: { a: 'decimal(4, 2)' } }),
    },
    {
      name: `decimals: sql: nested rounding, ${dialect}`,
      rulesets: [
        rulesetOf(
          'decimal-rounding',
          [
            decision('s0', [
              `${repeat(40, () => 'round(')}a${repeat(40, (at) => `, ${19 - (at % 20)}, "half_even")`)} > 1`,
            ]),
          ],
          DECIMAL,
        ),
      ],
      request: () => post('/rulesets/decimal-rounding/sql', { dialect, table: 't', columns: { a: 'decimal(30, 20)' } }),
    },
  ]),
]
