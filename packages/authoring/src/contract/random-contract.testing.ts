import type { Value } from '@engine/expression'
import { chance, inRange, pick, type Random } from '../../../ruleset/src/random.testing.ts'
import type { Contract, InputField } from './contract.ts'
import type { Concepts } from '@engine/ruleset'

/** Field names that are nested in each other and siblings. */
const NAMES = ['a', 'b', 'a.b', 'a.c', 'a.b.c', 'd.e', 'd.f', '__proto__', 'constructor.x']
const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'any', 'concept:point', 'concept:tree']
const VALUES: readonly Value[] = [null, true, false, 0, 1, 2.5, -3, '', 'x', [], [1], ['x'], {}, { lat: 1 }]

/** Concepts, one of them recursive. */
export const CONCEPTS: Concepts = new Map([
  [
    'point',
    [
      { name: 'lat', type: 'number' },
      { name: 'name', type: 'string' },
    ],
  ],
  [
    'tree',
    [
      { name: 'at', type: 'concept:point' },
      { name: 'children', type: 'array<concept:tree>' },
    ],
  ],
])

export function randomContract(random: Random): Contract {
  const names = NAMES.filter(() => chance(random, 0.5))
  return {
    name: 'random',
    version: '1.0.0',
    input: { fields: names.map((name) => randomField(random, name)) },
    outputs: [
      { code: 'YES', fields: [{ name: 'limit.of', type: randomType(random) }] },
      { code: 'NO', fields: [] },
    ].filter(() => chance(random, 0.8)),
  }
}

function randomField(random: Random, name: string): InputField {
  return {
    name,
    type: randomType(random),
    ...(chance(random, 0.5) && { required: true }),
    ...(chance(random, 0.2) && { default: pick(random, VALUES) }),
    ...(chance(random, 0.2) && { minimum: inRange(random, -2, 2) }),
    ...(chance(random, 0.2) && { maximum: inRange(random, 0, 3) }),
    ...(chance(random, 0.2) && { enum: [pick(random, VALUES), pick(random, VALUES)].slice(inRange(random, 0, 2)) }),
  }
}

function randomType(random: Random): string {
  const type = pick(random, TYPES)
  return chance(random, 0.25) ? `array<${type}>` : type
}

/** An input with many of the names used by contracts. */
export function randomInput(random: Random, depth = 0): Value {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', '__proto__', 'constructor', 'x', 'lat', 'at', 'children']
  const entries = keys
    .filter(() => chance(random, depth === 0 ? 0.7 : 0.4))
    .map((key): [string, Value] => [key, randomValue(random, depth + 1)])
  return Object.fromEntries(entries)
}

function randomValue(random: Random, depth: number): Value {
  if (depth < 4 && chance(random, 0.45)) return randomInput(random, depth)
  if (depth < 4 && chance(random, 0.2)) return [randomInput(random, depth), pick(random, VALUES)]
  return pick(random, VALUES)
}
