import { Budget, type Value } from '@engine/expression'
import { describe, expect, test, vi } from 'vitest'
import { createProgram } from '../create-program.ts'
import { decodeRuleset } from '../decode.ts'
import { testHost } from '../host.testing.ts'
import { seeded } from '../../../expression/src/random.testing.ts'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { ContractError } from '../program.ts'
import { createContractCheck } from './contract-check.ts'
import { violationsOf } from './input-contract.ts'

const CONTRACT = {
  name: 'credit',
  version: '1.2.0',
  input: {
    fields: [
      { name: 'applicant.age', type: 'integer', required: true, minimum: 18, maximum: 120 },
      { name: 'applicant.iban', type: 'string', required: true, sensitive: true, enum: ['DE1', 'DE2'] },
      { name: 'tier', type: 'string', enum: ['gold', 'silver'] },
      { name: 'lines', type: 'array<concept:line>' },
      { name: 'rate', type: 'number', required: true, default: 0.19 },
      { name: 'amount', type: 'decimal', digits: 6, decimals: 2 },
      { name: 'code', type: 'decimal', digits: 3 },
    ],
  },
  outputs: [],
  concepts: [{ name: 'line', fields: [{ name: 'price', type: 'number' }] }],
} as const

function documentOf(contract: Value | undefined): Value {
  return {
    config: { name: 'a', ...(contract !== undefined && { contract }) },
    steps: { start: { id: 'start', type: 'terminal', result: { code: 'A', message: '' } } },
  }
}

const HOSTS = { 'generated code': testHost(), 'the interpreter': testHost({ makeFunction: undefined }) }

function programOf(mode: string, host = testHost()) {
  const { ruleset, problems } = decodeRuleset(documentOf({ mode, contract: CONTRACT }))
  if (ruleset === undefined) throw new Error(JSON.stringify(problems))
  return createProgram(ruleset, host)
}

const VALID = { applicant: { age: 30, iban: 'DE1' }, tier: 'gold', lines: [{ price: 1.5, sku: 'x' }] }

describe.each(Object.entries(HOSTS))('all violations of an input, in the order of the contract, by %s', (_by, host) => {
  const program = programOf('enforce', host)

  test.each<[title: string, input: Value, violations: readonly string[]]>([
    ['none', VALID, []],
    ['further fields are allowed', { ...VALID, more: 1 }, []],
    ['an optional null is allowed', { ...VALID, tier: null }, []],
    [
      'nothing at all',
      {},
      ['/input/applicant/age required an integer nothing', '/input/applicant/iban required a string nothing'],
    ],
    ['a required null', { ...VALID, rate: null }, ['/input/rate required a number null']],
    ['a text is not a number', { ...VALID, rate: '760' }, ['/input/rate type a number string']],
    [
      'a fraction',
      { ...VALID, applicant: { age: 30.5, iban: 'DE1' } },
      ['/input/applicant/age type an integer number'],
    ],
    [
      'below a minimum',
      { ...VALID, applicant: { age: 17, iban: 'DE1' } },
      ['/input/applicant/age range at least 18 17'],
    ],
    [
      'above a maximum',
      { ...VALID, applicant: { age: 10n ** 20n, iban: 'DE1' } },
      ['/input/applicant/age range at most 120 100000000000000000000'],
    ],
    ['digits by value', { ...VALID, amount: 1234.5, code: 99.9 }, []],
    [
      'too many decimals',
      { ...VALID, amount: 9.999 },
      ['/input/amount decimals at most 2 digits after the point 9.999'],
    ],
    ['too many digits', { ...VALID, amount: 12345 }, ['/input/amount digits at most 4 digits before the point 12345']],
    ['too many digits in all', { ...VALID, code: 99.99 }, ['/input/code digits at most 3 digits in all 99.99']],
    ['a text is not a decimal', { ...VALID, amount: '9.99' }, ['/input/amount type a decimal string']],
    ['another word', { ...VALID, tier: 'bronze' }, ['/input/tier enum one of "gold", "silver" "bronze"']],
    [
      'a sensitive value is not shown',
      { ...VALID, applicant: { age: 30, iban: 'secret' } },
      ['/input/applicant/iban enum one of "DE1", "DE2" a string'],
    ],
    [
      'an item of another type',
      { ...VALID, lines: [{ price: 1 }, { price: 'x' }, 5, null, {}] },
      [
        '/input/lines/1/price type a number string',
        '/input/lines/2 type a concept:line number',
        '/input/lines/3 type a concept:line null',
      ],
    ],
    [
      'a scalar on the way',
      { ...VALID, applicant: 5 },
      ['/input/applicant/age required an integer nothing', '/input/applicant/iban required a string nothing'],
    ],
    [
      'a prototype is not an input',
      JSON.parse('{"__proto__": {"applicant": {"age": 30, "iban": "DE1"}}}') as Value,
      ['/input/applicant/age required an integer nothing', '/input/applicant/iban required a string nothing'],
    ],
  ])('%s', (_title, input, expected) => {
    const shown = program
      .violations(input)
      .map(({ path, rule, expected: wanted, found }) => [path, rule, wanted, found].join(' '))
    expect(shown).toEqual(expected)
    if (expected.length === 0) expect(program.decide(input)).toMatchObject({ code: 'A' })
    else
      for (const run of [() => program.decide(input), () => program.execute(input, { trace: true })])
        expect(run).toThrow(ContractError)
  })

  test('the message names the contract and counts', () =>
    expect(() => program.decide({})).toThrow('the input breaks the contract credit 1.2.0 in 2 places'))
})

test('both warn and off decide, and only warn lists violations', () => {
  expect(programOf('warn').decide({})).toMatchObject({ code: 'A' })
  expect(programOf('warn').violations({})).toHaveLength(2)
  expect(programOf('off').decide({})).toMatchObject({ code: 'A' })
  expect(programOf('off').violations({})).toEqual([])
})

describe('a default of the contract applies where the input has no such field, in every mode', () => {
  const fields = [
    { name: 'order.total', type: 'number', required: true, default: 5 },
    { name: 'tier', type: 'string', default: 'gold' },
  ]
  const programWith = (mode: string, config: { readonly [member: string]: Value }) => {
    const { ruleset, problems, warnings } = decodeRuleset({
      config: {
        name: 'a',
        ...config,
        contract: { mode, contract: { name: 'c', version: '1.0.0', input: { fields } } },
      },
      steps: {
        start: {
          id: 'start',
          type: 'terminal',
          result: {
            code: 'A',
            message: '',
            output: [
              ['total', 'order.total'],
              ['tier', 'tier'],
              ['has', 'exists(tier)'],
            ],
          },
        },
      },
    })
    if (ruleset === undefined) throw new Error(JSON.stringify(problems))
    return { program: createProgram(ruleset, testHost()), warnings }
  }

  test.each<readonly [config: { readonly [member: string]: Value }, input: Value, output: Value]>([
    [{}, {}, { total: 5, tier: 'gold', has: false }],
    [{}, { order: { total: 0 }, tier: 'silver' }, { total: 0, tier: 'silver', has: true }],
    [{}, { tier: null }, { total: 5, tier: null, has: true }],
    [{ field_missing: 'default', defaults: { '$.order.total': 9 } }, {}, { total: 9, tier: 'gold', has: false }],
  ])('%j with %j', (config, input, output) => {
    for (const mode of ['enforce', 'warn', 'off'])
      expect(programWith(mode, config).program.decide(input), mode).toMatchObject({ output })
  })

  test('a strict ruleset still fails, with a warning', () => {
    const { program, warnings } = programWith('enforce', { field_missing: 'strict' })
    expect(warnings).toMatchObject([{ code: 'unused-defaults', path: '/config/field_missing' }])
    expect(() => program.decide({})).toThrow(/order/)
  })
})

test('a called ruleset checks the input that it is given', () => {
  const caller = decodeRuleset({
    config: { name: 'caller' },
    steps: {
      start: {
        id: 'start',
        type: 'action',
        actions: [{ action: 'call_ruleset', ruleset_name: 'a', result_variable: 'r' }],
        next_step: 'end',
      },
      end: { id: 'end', type: 'terminal', result: { code: 'B', message: '' } },
    },
  }).ruleset
  if (caller === undefined) throw new Error('the caller is not right')
  const callee = programOf('enforce')
  const host = testHost({ rulesets: { resolve: () => callee, generation: 1 } })
  expect(() => createProgram(caller, host).decide({})).toThrow(
    'ruleset `a` failed: the input breaks the contract credit 1.2.0 in 2 places',
  )
})

describe('a contract that cannot be used is refused with its place', () => {
  test.each([
    ['no mode', { contract: CONTRACT }, '/config/contract/mode'],
    ['another mode', { mode: 'strict', contract: CONTRACT }, '/config/contract/mode'],
    ['a name, as drafts have it', 'credit', '/config/contract'],
    [
      'an unknown type',
      { mode: 'warn', contract: { ...CONTRACT, input: { fields: [{ name: 'a', type: 'money' }] } } },
      '/config/contract/contract/input/fields/0/type',
    ],
    [
      'an unknown concept',
      { mode: 'warn', contract: { ...CONTRACT, input: { fields: [{ name: 'a', type: 'concept:x' }] } } },
      '/config/contract/contract/input/fields/0/type',
    ],
    [
      'no path',
      { mode: 'warn', contract: { ...CONTRACT, input: { fields: [{ name: 'a + b', type: 'any' }] } } },
      '/config/contract/contract/input/fields/0/name',
    ],
    [
      'a bound that is not a number',
      { mode: 'warn', contract: { ...CONTRACT, input: { fields: [{ name: 'a', type: 'number', minimum: '1' }] } } },
      '/config/contract/contract/input/fields/0/minimum',
    ],
    [
      'digits of another type',
      { mode: 'warn', contract: { ...CONTRACT, input: { fields: [{ name: 'a', type: 'number', digits: 3 }] } } },
      '/config/contract/contract/input/fields/0/type',
    ],
    [
      'more decimals than digits',
      {
        mode: 'warn',
        contract: { ...CONTRACT, input: { fields: [{ name: 'a', type: 'decimal', digits: 3, decimals: 4 }] } },
      },
      '/config/contract/contract/input/fields/0/decimals',
    ],
    [
      'more digits than a decimal has',
      { mode: 'warn', contract: { ...CONTRACT, input: { fields: [{ name: 'a', type: 'decimal', digits: 35 }] } } },
      '/config/contract/contract/input/fields/0/digits',
    ],
    [
      'a default of another type',
      { mode: 'warn', contract: { ...CONTRACT, input: { fields: [{ name: 'a', type: 'number', default: 'x' }] } } },
      '/config/contract/contract/input/fields/0/default',
    ],
  ] as const)('%s', (_title, contract, path) => {
    expect(decodeRuleset(documentOf(contract as unknown as Value)).problems.map((problem) => problem.path)).toEqual([
      path,
    ])
  })
})

describe('generated code finds the violations that the interpreter finds', () => {
  const VALUES: readonly Value[] = [
    null,
    true,
    '',
    'DE1',
    'gold',
    '760',
    0,
    -0,
    17.999,
    18,
    30.5,
    1e15,
    1e21,
    -0.005,
    9999.99,
    10000,
    9007199254740993n,
    [],
    [{ price: 1 }, { price: 'x' }],
    {},
    { age: 30, iban: 'DE2' },
    { age: '30', iban: 'DE3' },
    { __proto__: { age: 30 } },
  ]
  const NAMES = ['applicant', 'tier', 'lines', 'rate', 'amount', 'code', 'toString']

  test('and charges what the interpreter charges: 2 units for each field and item of a list', () => {
    const { contract } = decodeRuleset(documentOf({ mode: 'warn', contract: CONTRACT })).ruleset?.config ?? {}
    expect.assert(contract !== undefined)
    const charged = (check: (budget: Budget) => unknown) => {
      let units = 0
      const budget = Budget.endless()
      vi.spyOn(budget, 'spend').mockImplementation((spent) => void (units += spent))
      expect(check(budget)).toEqual([])
      return units
    }
    const check = createContractCheck(contract, testHost().makeFunction)
    expect([
      charged((budget) => check?.({ ...VALID, rate: 1 }, budget)),
      charged((budget) => violationsOf(contract, { ...VALID, rate: 1 }, budget)),
    ]).toEqual([16, 16])
    expect(createContractCheck(contract, undefined)).toBeUndefined()
  })

  // The interpreter, which decides what generated code leaves open, charges a second time.
  test.each<[type: string, rules: { readonly [rule: string]: Value }, value: Value]>([
    ['any', {}, []],
    ['any', { minimum: 1 }, 1],
    ['any', { maximum: 1 }, 1],
    ['boolean', {}, false],
    ['string', {}, ''],
    ['string', { enum: ['a', 'b'] }, 'b'],
    ['number', { minimum: 1 }, 1],
    ['number', { maximum: -0.5 }, -0.5],
    ['integer', { minimum: -5, maximum: 5 }, 5],
    ['number', { minimum: 10n ** 20n }, 1e20],
    ['string', { minimum: 1 }, ''],
    ['boolean', { maximum: 0 }, true],
    ['decimal', {}, 0.1],
    ['decimal', { digits: 15, decimals: 0 }, 999_999_999_999_999],
    ['decimal', { digits: 16, decimals: 0 }, 1e15],
    ['decimal', { digits: 29, decimals: 14 }, -0.000_000_000_000_01],
    ['decimal', { digits: 4, decimals: 2 }, -99.99],
    ['decimal', { decimals: 1 }, 1e14],
    ['decimal', { digits: 34, decimals: 20 }, 0.5],
    ['number', { enum: [1, 2] }, 2],
    ['number', { enum: [10n ** 20n] }, 1e20],
    ['any', { enum: ['a', { x: 1 }] }, { x: 1 }],
  ])('decides a right %s of %o by itself', (type, rules, value) => {
    for (const [name, input] of [
      ['a', { a: value }],
      ['b.a', { b: { a: value } }],
    ] as const) {
      const fields = [true, false].map((required) => ({
        name: `${name}${required ? '' : '2'}`,
        type,
        required,
        ...rules,
      }))
      const { ruleset, problems } = decodeRuleset(
        documentOf({ mode: 'warn', contract: { ...CONTRACT, input: { fields } } }),
      )
      expect(problems).toEqual([])
      const contract = ruleset?.config.contract
      expect.assert(contract !== undefined)
      const budget = Budget.endless()
      const spend = vi.spyOn(budget, 'spend')
      expect(createContractCheck(contract, testHost().makeFunction)?.(input, budget)).toEqual([])
      expect(spend.mock.calls).toEqual([[4]])
      expect(violationsOf(contract, input, Budget.endless())).toEqual([])
    }
  })

  test.each<[type: string, rules: { readonly [rule: string]: Value }, value: Value, broken: string]>([
    ['integer', {}, 1.5, 'type'],
    ['boolean', {}, 0, 'type'],
    ['string', {}, 0, 'type'],
    ['number', {}, '1', 'type'],
    ['number', { minimum: 0 }, '1', 'type'],
    ['decimal', {}, '1', 'type'],
    ['decimal', { digits: 3, decimals: 1 }, '1', 'type'],
    ['object', {}, [], 'type'],
    ['array<string>', {}, 'a', 'type'],
    ['number', { minimum: 10n ** 20n }, 1e19, 'range'],
    ['number', { enum: [1, 2] }, 3, 'enum'],
    ['any', { enum: [1] }, '1', 'enum'],
    ['any', { enum: ['1'] }, 1, 'enum'],
    ['any', { enum: [[1]] }, [2], 'enum'],
    ['any', { enum: [{ a: 1 }] }, { a: 2 }, 'enum'],
    ['any', { enum: [{}] }, [], 'enum'],
    ['decimal', { digits: 4, decimals: 2 }, 100, 'digits'],
    ['decimal', { digits: 4, decimals: 2 }, -100, 'digits'],
    ['decimal', { digits: 4, decimals: 2 }, 1.001, 'decimals'],
    ['number', { minimum: 1 }, 0.5, 'range'],
    ['number', { maximum: 1 }, 1.5, 'range'],
    ['any', { minimum: 1 }, 0, 'range'],
    ['string', { enum: ['a', 'b'] }, 'c', 'enum'],
  ])('refuses %s of %o: %o', (type, rules, value, broken) => {
    const fields = [{ name: 'a', type, required: true, ...rules }]
    const { ruleset } = decodeRuleset(documentOf({ mode: 'warn', contract: { ...CONTRACT, input: { fields } } }))
    expect.assert(ruleset !== undefined)
    for (const host of [testHost(), testHost({ makeFunction: undefined })])
      expect(createProgram(ruleset, host).violations({ a: value })).toMatchObject([{ path: '/input/a', rule: broken }])
  })

  const REQUIRED = { type: 'number', required: true }
  test.each<[fields: readonly Value[], input: Value, violations: readonly string[]]>([
    [[{ name: 'list.length', ...REQUIRED }], { list: { length: 2 } }, []],
    [[{ name: 'list.length', ...REQUIRED }], { list: [1, 2] }, ['/input/list/length']],
    [[{ name: 'a.b.c', ...REQUIRED }], { a: { b: { c: 1 } } }, []],
    [[{ name: 'a.b.c', ...REQUIRED }], { a: { b: 'text' } }, ['/input/a/b/c']],
    [[{ name: 'a.constructor', ...REQUIRED }], { a: {} }, ['/input/a/constructor']],
    [
      [
        { name: 'a.b', ...REQUIRED },
        { name: 'c', ...REQUIRED },
        { name: 'a.d', type: 'string' },
      ],
      { a: { b: 1 }, c: 2 },
      [],
    ],
    [
      [
        { name: 'a.b', ...REQUIRED },
        { name: 'c', ...REQUIRED },
        { name: 'a.d', type: 'string' },
      ],
      { a: { b: null, d: 1 } },
      ['/input/a/b', '/input/c', '/input/a/d'],
    ],
    [
      [
        { name: 'a.b.c', ...REQUIRED },
        { name: 'ab.d', ...REQUIRED },
      ],
      { a: { b: { c: 1, d: 2 } }, ab: {} },
      ['/input/ab/d'],
    ],
    [[{ name: 'a.b', type: 'string' }], {}, []],
    [[{ name: 'a.b', ...REQUIRED, default: 1 }], {}, []],
    [
      [
        { name: 'a.b', ...REQUIRED, default: 1 },
        { name: 'a.c', ...REQUIRED },
      ],
      { a: { c: 1 } },
      [],
    ],
    [[{ name: 'a.b', type: 'any', required: true }], { a: { b: [] } }, []],
    [[{ name: 'a.b', type: 'any', required: true }], { a: {} }, ['/input/a/b']],
  ])('%j of %j', (fields, input, violations) => {
    const { ruleset } = decodeRuleset(documentOf({ mode: 'warn', contract: { ...CONTRACT, input: { fields } } }))
    expect.assert(ruleset !== undefined)
    for (const host of [testHost(), testHost({ makeFunction: undefined })])
      expect(
        createProgram(ruleset, host)
          .violations(input)
          .map(({ path }) => path),
      ).toEqual(violations)
  })

  test(`${casesOf(20_000)} inputs`, () => {
    printSeed(casesOf(20_000))
    const random = seeded(SEED)
    const fields = [
      ...CONTRACT.input.fields,
      { name: 'toString', type: 'any', minimum: 1 },
      { name: 'applicant.constructor', type: 'string' },
      { name: 'lines.length', type: 'number' },
      { name: 'amount.code', type: 'any', enum: [1, 'gold', [1]] },
    ]
    const contract = { ...CONTRACT, input: { fields } }
    const { ruleset, problems } = decodeRuleset(documentOf({ mode: 'warn', contract }))
    expect(problems).toEqual([])
    expect.assert(ruleset !== undefined)
    const [compiled, interpreted] = [
      createProgram(ruleset, testHost()),
      createProgram(ruleset, testHost({ makeFunction: undefined })),
    ]
    let valid = 0
    for (let index = 0; index < casesOf(20_000); index++) {
      const given = NAMES.flatMap((name) => (random.chance(0.3) ? [] : [[name, random.pick(VALUES)] as const]))
      const input = {
        ...(random.chance(0.5) ? VALID : {}),
        rate: 1,
        ...Object.fromEntries(given.slice(0, random.below(8))),
      }
      const found = compiled.violations(input)
      expect(found).toEqual(interpreted.violations(input))
      if (found.length === 0) valid++
    }
    expect(valid).toBeGreaterThan(casesOf(20_000) / 100)
  })
})
