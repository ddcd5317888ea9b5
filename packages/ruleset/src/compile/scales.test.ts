import { numberOfText, stringifyJson, type Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { casesOf, limitOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { type Random, seeded } from '../../../expression/src/random.testing.ts'
import { createCapabilities } from '../capability-registry.ts'
import { createProgram } from '../create-program.ts'
import { decoded } from '../decode/document.testing.ts'
import { testHost } from '../host.testing.ts'
import { ExecutionError } from '../program.ts'
import { actionsOf } from '../step-expressions.ts'
import { scalesOf } from './scales.ts'

const set = (name: string, value: string): Value => ({ action: 'set_variable', name, value })

const action = (id: string, actions: readonly Value[], next: string): [string, Value] => [
  id,
  { id, type: 'action', actions: [...actions], next_step: next },
]

const decision = (id: string, condition: string, yes: string, no: string): [string, Value] => [
  id,
  { id, type: 'decision', branches: [{ condition, next_step: yes }], default_next: no },
]

const terminal = (id: string, output: readonly (readonly [string, string])[]): [string, Value] => [
  id,
  { id, type: 'terminal', result: { code: id, message: id, output: output.map((pair) => [...pair]) } },
]

const documentOf = (steps: readonly [string, Value][], config: Record<string, Value> = {}): Value => ({
  config: { name: 'scales', entry_step: steps[0]?.[0] ?? '', numbers: 'decimal', ...config },
  steps: Object.fromEntries(steps),
})

describe('the scales of variables', () => {
  test.each<readonly [what: string, values: readonly (readonly [string, string])[], scales: Record<string, number>]>([
    ['an amount times a count', [['x', 'a * b']], { x: 4 }],
    [
      'a share of a variable',
      [
        ['x', 'a * 0.19'],
        ['y', '$x * 0.5'],
      ],
      { x: 4, y: 5 },
    ],
    [
      'a sum of variables',
      [
        ['x', 'a * 0.19'],
        ['y', '$x + a'],
      ],
      { x: 4, y: 4 },
    ],
    [
      'the finest of several values',
      [
        ['x', '0'],
        ['x', 'a * 0.1'],
        ['x', 'a * 0.005'],
      ],
      { x: 5 },
    ],
    [
      'a value that depends on a later one',
      [
        ['y', '$x + a'],
        ['x', 'a * 0.001'],
      ],
      { x: 5, y: 5 },
    ],
    [
      'a count',
      [
        ['x', '0'],
        ['x', '$x + 1'],
      ],
      { x: 0 },
    ],
    [
      'none for a product with itself',
      [
        ['x', '1.5'],
        ['x', '$x * $x'],
      ],
      {},
    ],
    [
      'none for what is only read',
      [
        ['x', 'a'],
        ['y', '1.5'],
        ['z', 'round(a, 2)'],
      ],
      {},
    ],
    [
      'none for quotients and remainders',
      [
        ['x', 'a / 3 + 1'],
        ['y', 'a % 3'],
      ],
      {},
    ],
    ['none for more than 10 places', [['x', 'a * b * c * d * a * b']], {}],
    ['none for long fractions', [['x', 'a * 0.12345678901']], {}],
  ])('%s', (_what, values, scales) => {
    const { steps } = decoded(
      documentOf([
        action(
          'a',
          values.map(([name, value]) => set(name, value)),
          'end',
        ),
        terminal('end', []),
      ]),
    )
    expect(Object.fromEntries(scalesOf([...steps.values()].flatMap(actionsOf)))).toEqual(scales)
  })
})

describe('a variable with a coefficient', () => {
  const call = { service: 's', method: 'm', params: [], ruleset_name: 'callee', result_variable: 'x' }
  test.each<readonly [what: string, last: Value, x: string]>([
    ['is set to another chain', set('x', '$x * 0.5 - a'), '17.4375'],
    ['is set to a longer fraction', set('x', '$x + c'), '59.8851234567891'],
    ['is set to a field', set('x', 'c'), '0.0101234567891'],
    ['is set to a text', set('x', '"new"'), '"new"'],
    ['is set to nothing', set('x', 'missing'), 'null'],
    ['gets what a ruleset decides', { action: 'call_ruleset', ...call }, '{"code":"C","message":"C","output":{}}'],
    [
      'gets the answer of a service',
      { action: 'external_call', ...call },
      '{"capability":"s","operation":"m","payload":0.1,"metadata":{}}',
    ],
  ])('%s', async (_what, last, x) => {
    const provider = { name: 's', operations: ['m'], call: () => Promise.resolve({ payload: 0.1, metadata: {} }) }
    const host = testHost({ capabilities: createCapabilities(provider) })
    host.programs.set('callee', createProgram(decoded(documentOf([terminal('C', [])])), host))
    const steps = [action('first', [set('x', 'a * b'), last], 'end'), terminal('end', [['x', '$x']])]
    const ruleset = decoded(documentOf(steps))
    const { output } = await createProgram(ruleset, host).decide({ a: 12.5, b: 4.79, c: 0.0101234567891 })
    expect(stringifyJson(output['x'] ?? null)).toBe(x)
  })
})

/** Sets in the order of the document, which begins with the last step. */
test.each<readonly [what: string, steps: readonly (readonly [string, string])[][], inputs: readonly Value[]]>([
  [
    'an amount that is too large in the scale of its variable',
    [
      [['y', '$x - $z']],
      [
        ['z', 'b * 0.00000001'],
        ['x', 'b * 0.00000001'],
        ['x', 'a * 1'],
      ],
    ],
    Array.from({ length: 300 }, (_, index) => ({ a: (9_000_000_000_000 + index * 107) / 100, b: 0.03 })),
  ],
  [
    'fields of 16 digits, of which a double does not show the last',
    [[['y', '$x * 2']], [['x', 'a - b']]],
    Array.from({ length: 300 }, (_, index) => ({
      a: (9_000_000_000_000_000 + index * 107) / 100,
      b: (9_000_000_000_000_000 - index * 11) / 100,
    })),
  ],
  [
    'orders of equal numbers in two scales',
    [[['y', 'if $x < c then 1 else (if $x > c then 2 else 3)']], [['x', 'a * 0.00001']]],
    Array.from({ length: 300 }, (_, index) => ({ a: index * 1000, c: index / 100 })),
  ],
  ['a number of one place', [[['y', '$x * 0.5']], [['x', '$x + 3']], [['x', '0']]], [{}]],
  [
    'a variable whose scale three passes do not find',
    [
      [
        ['x', '$x + 1'],
        ['y', '$x * 3'],
      ],
      [['x', '$z']],
      [['z', '$w + 1']],
      [['w', '$v + 1']],
      [['v', 'a * 0.001']],
    ],
    Array.from({ length: 300 }, (_, index) => ({ a: (index * 37) / 100 })),
  ],
])('%s', (_what, steps, inputs) => {
  const actions = steps.map((sets, index) =>
    action(
      `s${index}`,
      sets.map(([name, value]) => set(name, value)),
      index === 0 ? 'end' : `s${index - 1}`,
    ),
  )
  const output = ['x', 'y', 'z'].map((name) => [name, `$${name}`] as const)
  const ruleset = decoded(documentOf([...actions, terminal('end', output)], { entry_step: `s${steps.length - 1}` }))
  const [interpreted, compiled] = [{ makeFunction: undefined }, {}].map((host) =>
    createProgram(ruleset, testHost(host)),
  )
  for (const input of inputs)
    expect(outcome(() => compiled?.decide(input))).toBe(outcome(() => interpreted?.decide(input)))
})

const VARIABLES = ['x', 'y', 'z', 'w'] as const
const LITERALS = ['0', '1', '-1', '0.19', '0.1', '-0.005', '100', '2.5', '0.0000001', '99999999999999', '1e20']

/** A chain, mostly. */
function randomValue(random: Random, depth: number): string {
  if (depth === 0 || random.chance(0.15))
    return random.pick(['a', 'b', 'c', 'd.e', '$x', '$y', '$z', '$w', random.pick(LITERALS)])
  if (random.chance(0.04)) return `round(${randomValue(random, depth - 1)}, 2)`
  if (random.chance(0.03)) return `(${randomValue(random, depth - 1)} / ${random.pick(['3', '8', 'b'])})`
  return `(${randomValue(random, depth - 1)} ${random.pick(['+', '-', '*', '*'])} ${randomValue(random, depth - 1)})`
}

const randomCondition = (random: Random): string =>
  `${randomValue(random, 2)} ${random.pick(['<', '<=', '>', '>=', '==', '!='])} ${randomValue(random, 1)}`

const randomSets = (random: Random): readonly Value[] =>
  Array.from({ length: 1 + random.below(4) }, () => set(random.pick(VARIABLES), randomValue(random, 3)))

function randomDocument(random: Random): Value {
  const isLoop = random.chance(0.2)
  const output = [
    ...VARIABLES.map((name) => [name, `$${name}`] as const),
    ['sum', '$x + $y'],
    ['negative', 'if type($z) == "number" then -$z else $z'],
    ['list', '[$w, $x == $y, $z in [$w, 1]]'],
  ] as const
  return documentOf(
    [
      action(
        'first',
        [...VARIABLES.map((name) => set(name, random.pick(['0', 'a', 'b * 0.5']))), ...randomSets(random)],
        'ask',
      ),
      decision('ask', randomCondition(random), 'yes', 'no'),
      action('yes', randomSets(random), 'both'),
      action('no', randomSets(random), 'both'),
      action('both', randomSets(random), 'again'),
      decision('again', randomCondition(random), 'end', isLoop ? 'yes' : 'other'),
      terminal('end', output),
      terminal('other', output),
    ],
    { max_depth: 30, field_missing: random.pick(['lenient', 'strict', 'default']) },
  )
}

function randomNumber(random: Random): Value | undefined {
  const digits = (count: number) => Array.from({ length: count }, () => String(random.below(10))).join('')
  switch (random.below(12)) {
    case 0:
      return random.pick<Value | undefined>([undefined, null, '5', true, [], 0.1 + 0.2, -0, 1e15, 5e-324, 1e300])
    case 1:
      return numberOfText(`${random.below(1000)}.${digits(30)}`)
    case 2:
      return numberOfText(`1${digits(20)}`)
    case 3:
      return random.below(1_000_000) / 1e6
    case 4:
      return (random.chance(0.5) ? 1 : -1) * random.below(2 ** 50)
    case 5:
      return random.below(100) + random.below(100) / 100
    default:
      return ((random.chance(0.8) ? 1 : -1) * random.below(10_000_000)) / 100
  }
}

const DOCUMENTS = casesOf(20_000, 100)

test(
  `${DOCUMENTS} rulesets of chains decide with coefficients as they are interpreted, and with traces`,
  () => {
    printSeed(DOCUMENTS)
    const random = seeded(SEED)
    const seen = { scaled: 0, decided: 0 }
    for (let count = 0; count < DOCUMENTS; count++) {
      const document = randomDocument(random)
      const ruleset = decoded(document)
      if (scalesOf([...ruleset.steps.values()].flatMap(actionsOf)).size > 0) seen.scaled++
      const [interpreted, compiled] = [{ makeFunction: undefined }, {}].map((host) =>
        createProgram(ruleset, testHost(host)),
      )
      for (let round = 0; round < 3; round++) {
        const [a, b, c, e] = [0, 1, 2, 3].map(() => randomNumber(random))
        const input = Object.fromEntries(
          Object.entries({ a, b, c, d: { e: e ?? null } }).filter(([, value]) => value !== undefined),
        ) as Value
        const expected = outcome(() => interpreted?.decide(input))
        if (!expected.startsWith('error')) seen.decided++
        const found = [outcome(() => compiled?.decide(input)), outcome(() => compiled?.execute(input, { trace: true }))]
        if (found.some((one) => one !== expected)) throw new Error(stringifyJson({ expected, found, input, document }))
      }
    }
    expect(Math.min(seen.scaled, seen.decided / 3)).toBeGreaterThan(DOCUMENTS / 4)
  },
  limitOf(DOCUMENTS, 10),
)

/** The code and output of a decision, or its error. */
function outcome(run: () => unknown): string {
  try {
    const { code, output } = run() as { code: string; output: Value }
    return stringifyJson({ code, output })
  } catch (error) {
    if (error instanceof ExecutionError) return `error ${error.code} ${error.step} ${error.message}`
    throw error
  }
}
