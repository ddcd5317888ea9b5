import type { Value } from '@engine/expression'
import { chance, inRange, pick, type Random, some } from '../../../ruleset/src/random.testing.ts'
import type { WrittenOutput, WrittenTable } from './model.testing.ts'

export const INPUTS = [
  ['Age', 'number'],
  ['Order size', 'number'],
  ['country', 'string'],
  ['vip', 'boolean'],
  ['due', 'date'],
] as const

/** The features of a random table. */
interface Limits {
  /** Inputs may be null: excludes arithmetic and negated comparisons, which the oracle evaluates differently. */
  readonly hasNulls: boolean
  /** Additional inputs: the result of an earlier decision. */
  readonly further?: readonly (readonly [name: string, type: 'string' | 'number'])[]
}

const NUMBERS = ['0', '1', '18', '65', '-3', '2.5', '.5', '100']
const TEXTS = ['"DE"', '"FR"', '""', '"a b"', '"\\"q\\""', '"\\u00e9"']
const DAYS = ['2025-12-31', '2026-01-01', '2026-02-28', '2027-06-15']
const POLICIES = ['UNIQUE', 'FIRST', 'PRIORITY', 'ANY', 'RULE ORDER', 'OUTPUT ORDER', 'COLLECT'] as const
const AGGREGATIONS = ['SUM', 'MIN', 'MAX', 'COUNT'] as const
const PRIORITIES = ['"c"', '"a"', '"b"']

export function randomTable(random: Random, limits: Limits): WrittenTable {
  const hitPolicy = pick(random, POLICIES)
  const aggregation = hitPolicy === 'COLLECT' && chance(random, 0.7) ? pick(random, AGGREGATIONS) : undefined
  const inputs = some(random, [...INPUTS, ...(limits.further ?? [])], 1, 3)
  const outputs = outputsOf(random, hitPolicy, aggregation)
  const rules = Array.from({ length: inRange(random, 0, 6) }, () => [
    ...inputs.map(([, type]) => unaryTests(random, type, limits)),
    ...outputs.map((output) => outputEntry(random, output, limits)),
  ])
  const isAny = hitPolicy === 'ANY' && chance(random, 0.7)
  const same = rules[0]?.slice(inputs.length) ?? []
  return {
    hitPolicy,
    ...(aggregation !== undefined && { aggregation }),
    inputs,
    outputs,
    rules: isAny ? rules.map((rule) => [...rule.slice(0, inputs.length), ...same]) : rules,
  }
}

function outputsOf(random: Random, hitPolicy: string, aggregation: string | undefined): readonly WrittenOutput[] {
  if (aggregation !== undefined) {
    const byDefault = chance(random, 0.3) ? { byDefault: pick(random, ['0', '7']) } : {}
    return [{ name: 'out', type: 'number', ...byDefault }]
  }
  const values = /PRIORITY|OUTPUT ORDER/.test(hitPolicy) ? { values: PRIORITIES.join(', ') } : {}
  const isList = /ORDER|COLLECT/.test(hitPolicy)
  const names = some(random, ['one', 'two words', 'three'], 1, 3)
  return names.map((name) => ({
    name,
    ...values,
    ...(!isList && chance(random, 0.3) && { byDefault: pick(random, ['"none"', '3']) }),
  }))
}

function outputEntry(random: Random, { values, type }: WrittenOutput, { hasNulls }: Limits): string {
  if (values !== undefined) return pick(random, PRIORITIES)
  const number = () => pick(random, NUMBERS)
  if (type === 'number') return hasNulls || chance(random, 0.5) ? number() : `Age * ${number()} + Order size`
  return pick(random, [
    number,
    () => pick(random, TEXTS),
    () => pick(random, ['true', 'null', 'country', 'Order size']),
    () => `[${number()}, country]`,
    () => `{x: ${number()}, "y z": vip}`,
    () => `if vip then ${number()} else country`,
    () => (hasNulls ? number() : `(Age - ${number()}) / 4`),
    () => (hasNulls ? number() : `country + ${pick(random, TEXTS)}`),
  ])()
}

const COMPARISONS = ['<', '<=', '>', '>='] as const

function unaryTests(random: Random, type: string, limits: Limits): string {
  if (chance(random, 0.25)) return '-'
  const tests = Array.from({ length: inRange(random, 1, 3) }, () => positiveTest(random, type))
  if (chance(random, 0.2)) return `not(${literal(random, type)}, ${literal(random, type)})`
  if (!limits.hasNulls && type !== 'boolean' && chance(random, 0.15)) return `not(${tests.join(', ')})`
  if (type === 'number' && !limits.hasNulls && chance(random, 0.2)) return `? > ${pick(random, NUMBERS)} and ? != Age`
  return tests.join(', ')
}

function positiveTest(random: Random, type: string): string {
  const plain = () => literal(random, type)
  if (type === 'boolean') return plain()
  return pick(random, [plain, plain, () => `${pick(random, COMPARISONS)} ${plain()}`, () => interval(random, type)])()
}

function literal(random: Random, type: string): string {
  if (type === 'number') return pick(random, NUMBERS)
  if (type === 'boolean') return pick(random, ['true', 'false'])
  if (type === 'date') return `date("${pick(random, DAYS)}")`
  return pick(random, [...TEXTS, ...PRIORITIES])
}

function interval(random: Random, type: string): string {
  const [low, high] =
    type === 'number'
      ? [inRange(random, -3, 20), inRange(random, 20, 70)]
      : type === 'date'
        ? [`date("${DAYS[inRange(random, 0, 1)]}")`, `date("${DAYS[inRange(random, 1, 3)]}")`]
        : ['"DA"', '"EZ"']
  return `${pick(random, ['[', '(', ']'])}${low}..${high}${pick(random, [']', ')', '['])}`
}

export function randomInput(random: Random, hasNulls: boolean): { readonly [name: string]: Value } {
  const value: { readonly [type: string]: () => Value } = {
    number: () => pick(random, [0, 1, 17, 18, 40, 65, 2.5, 100]),
    string: () => pick(random, ['DE', 'FR', '', 'a b', '"q"', 'é', 'a']),
    boolean: () => chance(random, 0.5),
    date: () => pick(random, DAYS),
  }
  const given = INPUTS.map(([name, type]) => [name, hasNulls && chance(random, 0.2) ? null : (value[type]?.() ?? null)])
  return Object.fromEntries(given) as { readonly [name: string]: Value }
}
