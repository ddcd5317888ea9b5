import type { Value } from '@engine/expression'
import { decodeRuleset, type Ruleset } from '@engine/ruleset'
import type { Random } from '../../packages/expression/src/random.testing.ts'

/** Fields of a row and their columns in a database. */
export const COLUMNS = [
  { path: 'name', column: 'name', type: 'text' },
  { path: 'doc.owner', column: 'doc_owner', type: 'text' },
  { path: 'total', column: 'total', type: 'number' },
  { path: 'doc.size', column: 'doc_size', type: 'number' },
  { path: 'active', column: 'active', type: 'boolean' },
  { path: 'order', column: 'order', type: 'text' },
  { path: 'doc.count', column: 'doc_count', type: 'integer' },
] as const

/** The types of the columns, as a request states them. */
export const STATED: { readonly [column: string]: (typeof COLUMNS)[number]['type'] } = Object.fromEntries(
  COLUMNS.map(({ column, type }) => [column, type]),
)

export type Row = { readonly [column: string]: string | number | bigint | boolean | null }

/** Characters that need escapes, and characters that collations order otherwise than by code points. */
const TEXTS = [
  'B',
  'b',
  'Z',
  '',
  'a',
  'A',
  'ab',
  "o'x",
  'a%b',
  'a_b',
  'a!b',
  '!',
  '%',
  '_',
  '\\',
  "\\'",
  'ß',
  'é',
  '.*',
  '^a$',
  'null',
  'x"y',
  '-- ',
  '\n',
  'a ',
  'b ',
  ' ',
]
const NUMBERS = [0, 1, -1, 2, 0.5, -2.25, 10, 100, 1e6, 0.1, 0.0028984089210060526, 0.20779705662948678]
const INTEGERS = [0, 1, -1, 2, 10, 100]

/** Values that databases and rules see differently, unless a request states types: large doubles, integers, characters. */
const EXOTIC = {
  text: ['💥', '\ue000', '\uffee', 'a\u{1f600}'],
  number: [2.26797932753915e17, 9007199254740992, 1.7976931348623157e308, 5e-324, 1e-7, -1e22],
  integer: [
    9007199254740993n,
    9007199254740991,
    -9007199254740993n,
    9007199254740994n,
    9223372036854775807n,
    -9223372036854775808n,
  ],
} as const

/** Numbers of the rules that no column of integers holds. */
const NO_LONGS = ['9223372036854775808', '-9223372036854775809', '9007199254740993.5', '1e30'] as const

const LITERALS = {
  text: (random: Random) => random.pick(TEXTS),
  number: (random: Random) => random.pick(NUMBERS),
  integer: (random: Random) => random.pick(INTEGERS),
  boolean: (random: Random) => random.chance(0.5),
} as const

const PLAIN = ['text', 'number', 'boolean'] as const

/** @param exotic the share of values that only stated types, or a reason, keep right */
export function randomRow(random: Random, exotic: number): Row {
  return Object.fromEntries(
    COLUMNS.map(({ column, type }) => {
      if (random.chance(0.15)) return [column, null]
      if (type !== 'boolean' && random.chance(exotic))
        return [column, random.pick<string | number | bigint>(EXOTIC[type])]
      return [column, LITERALS[type](random)]
    }),
  )
}

/** A row with these values; the other columns are empty. */
export function rowOf(values: Row): Row {
  return { ...Object.fromEntries(COLUMNS.map(({ column }) => [column, null])), ...values }
}

/** The input for a row: null becomes a missing field. */
export function inputOf(row: Row, known: { readonly [key: string]: Value }): Value {
  const input: { [key: string]: Value } = {}
  const doc: { [key: string]: Value } = {}
  for (const { path, column } of COLUMNS) {
    const value = row[column] ?? null
    if (value === null) continue
    if (path.startsWith('doc.')) doc[path.slice(4)] = value
    else input[path] = value
  }
  return { ...input, ...(Object.keys(doc).length === 0 ? {} : { doc }), ...known }
}

const quote = (text: string) => JSON.stringify(text)
const literal = (value: string | number | bigint | boolean) =>
  typeof value === 'string' ? quote(value) : String(value)
const pathText = (path: string) => (path === 'order' ? '$.order' : path)

/** The features of a random ruleset. */
export interface Abilities {
  /** Arithmetic in conditions: what only a whole decision in SQL has a form for. */
  readonly computes: boolean
  /** Outputs that are evaluated, some of which fail for some rows. */
  readonly hasOutputs: boolean
  /** Compares fields with values of other types, and with values beyond the usual. */
  readonly mixes?: boolean
}

/** The parts of conditions. */
interface Making extends Abilities {
  readonly variables: readonly string[]
  /** Conditions of this ruleset, some of which come again. */
  readonly written: string[]
}

const OUTPUTS: readonly (readonly [name: string, expressions: readonly string[]])[] = [
  [
    'text',
    [
      'name',
      'doc.owner',
      '"o\'x"',
      '$v',
      'if active then name else "none"',
      'coalesce(name, doc.owner, "nobody")',
      'user.role',
    ],
  ],
  [
    'amount',
    [
      'total',
      'total + 1',
      'total * doc.size - 0.5',
      'total / doc.size',
      '-total',
      'coalesce(total, 0) * 2',
      'if total > 1 then total else 7',
      '3',
    ],
  ],
  [
    'ok',
    [
      'active',
      'total > 1',
      'name == "a" || active',
      '!active',
      'true',
      'name in ["a", "B"]',
      'is_null(total)',
      '$v == "a"',
    ],
  ],
]

const COMPUTED = [
  'total * 2 > doc.size + 1',
  'total / doc.size >= 1',
  'total - doc.size == 0',
  'total * doc.size * 1e300 > 0',
  'total + 1 > null',
  '(total > 1) == null',
  'name in []',
  'doc.count + 1 > 3',
  '-total < 1',
  '(total > 1) == active',
  'name == doc.owner',
  'floor(total) < doc.size',
  'ceil(total) == 1',
  'abs(doc.size) > 2',
  'max(total, doc.size, 1) > 1',
  'min(total, doc.size) == total',
  'total in [doc.size, 1.5]',
  'round(total, 1) == 1.5',
]

function atom(random: Random, { variables, computes, mixes = false }: Making): string {
  if (computes && random.chance(0.15)) return random.pick(COMPUTED)
  if (random.chance(0.1))
    return random.pick([
      'user.role == "admin"',
      'user.level > 2',
      'user.name != null',
      'user.groups contains "staff"',
      'flag',
      'false',
      'true',
    ])
  if (variables.length > 0 && random.chance(0.25))
    return `$${random.pick(variables)} ${random.pick(['==', '!='])} ${literal(random.pick(TEXTS))}`
  const { path, type } = random.pick(COLUMNS)
  const field = pathText(path)
  if (random.chance(0.12))
    return random.pick([`${field} == null`, `${field} != null`, `is_null(${field})`, `exists(${field})`])
  if (mixes && random.chance(0.1)) return random.pick([field, `!${field}`])
  const isNumeric = type === 'number' || type === 'integer'
  const number = random.chance(0.2) ? random.pick(['number', 'integer'] as const) : undefined
  const other = mixes && random.chance(0.2) ? random.pick(PLAIN) : isNumeric && number !== undefined ? number : type
  if (type === 'boolean' && other === 'boolean')
    return random.pick([field, `${field} == true`, `${field} != false`, `!${field}`])
  const value = () =>
    mixes && other !== 'boolean' && random.chance(0.2)
      ? type === 'integer' && random.chance(0.3)
        ? random.pick(NO_LONGS)
        : literal(random.pick<string | number | bigint>(EXOTIC[other]))
      : literal(LITERALS[other](random))
  const same = COLUMNS.filter((column) => column.type === type && column.path !== path)
  if (random.chance(0.05) && same.length > 0)
    return `${field} ${random.pick(['==', '!=', '<', '>='])} ${pathText(random.pick(same).path)}`
  if (random.chance(0.2)) return `${field} ${random.pick(['in', 'not in'])} [${listOf(random, value)}]`
  if ((type === 'text' || (mixes && random.chance(0.1))) && random.chance(0.4))
    return `${random.pick(['contains', 'starts_with', 'ends_with'])}(${field}, ${literal(random.pick([...TEXTS, '💥']))})`
  if (random.chance(0.15)) return `${value()} ${random.pick(['==', '!=', '<', '<=', '>', '>='])} ${field}`
  return `${field} ${random.pick(['==', '==', '!=', '<', '<=', '>', '>='])} ${value()}`
}

/** Some values, one of them twice at times, and null at times. */
function listOf(random: Random, value: () => string): string {
  const values = [value(), value(), ...(random.chance(0.2) ? ['null'] : [])]
  return [...values, ...(random.chance(0.3) ? [random.pick(values)] : [])].join(', ')
}

/** A condition; at times one that was written before, or one operator on one field twice. */
function part(random: Random, making: Making): string {
  const { written } = making
  if (written.length > 0 && random.chance(0.1)) return random.pick(written)
  const one = atom(random, making)
  const field = /^([$\w.]+) (==|!=|<|<=|>|>=) (.*)$/.exec(one)
  const name = /^(\w+)\(([$\w.]+), (.*)\)$/.exec(one)
  const whole = !random.chance(0.15)
    ? one
    : field !== null && !field[1]?.startsWith('$v')
      ? `${one} || ${field[1]} ${field[2]} ${anotherOf(random, field[3] ?? '')}`
      : name !== null
        ? `${one} || ${name[1]}(${name[2]}, ${anotherOf(random, name[3] ?? '')})`
        : one
  written.push(whole)
  return whole
}

/** Replaces a literal by another one of its type; fields stay. */
function anotherOf(random: Random, written: string): string {
  if (written.startsWith('"')) return literal(random.pick(TEXTS))
  return Number.isNaN(Number(written)) ? written : literal(random.pick(NUMBERS))
}

function condition(random: Random, making: Making, depth = 0): string {
  if (depth > 2 || random.chance(0.5)) return random.chance(0.15) ? `!(${part(random, making)})` : part(random, making)
  const left = condition(random, making, depth + 1)
  const right = condition(random, making, depth + 1)
  return random.chance(0.1) ? `!(${left} && ${right})` : `(${left}) ${random.pick(['&&', '||'])} (${right})`
}

export function randomRuleset(random: Random, abilities: Abilities): Ruleset {
  const { ruleset, problems } = decodeRuleset(randomDocument(random, abilities))
  if (ruleset === undefined) throw new Error(problems.map(({ path, message }) => `${path} ${message}`).join('\n'))
  return ruleset
}

/** A graph of some steps in which ways meet again, ended by terminals that share codes. */
export function randomDocument(random: Random, abilities: Abilities): Value {
  const { hasOutputs } = abilities
  const count = 2 + random.below(5)
  const hasVariables = random.chance(0.3)
  const making: Making = { ...abilities, variables: hasVariables ? ['v'] : [], written: [] }
  const steps: { [id: string]: Value } = {}
  const hasLoops = random.chance(0.05)
  const later = (index: number) => {
    if (hasLoops && random.chance(0.2)) return `s${random.below(count)}`
    const rest = Array.from({ length: count - index - 1 }, (_, place) => `s${index + 1 + place}`)
    return random.pick([...rest, 'a', 'b', 'c'])
  }
  const action = (): Value => ({
    action: 'set_variable',
    name: 'v',
    value: random.pick(['"a"', 'name', 'doc.owner', 'user.role', '"o\'x"', 'if active then "a" else "b"']),
  })
  for (let index = 0; index < count; index++) {
    const id = `s${index}`
    if (hasVariables && index > 0 && random.chance(0.3)) {
      steps[id] = { id, type: 'action', actions: [action()], next_step: later(index) }
      continue
    }
    const branches = Array.from({ length: 1 + random.below(3) }, () => ({
      condition: condition(random, making),
      next_step: later(index),
      ...(hasVariables && random.chance(0.2) ? { actions: [action()] } : {}),
    }))
    steps[id] = { id, type: 'decision', branches, ...(random.chance(0.9) ? { default_next: later(index) } : {}) }
  }
  for (const [id, code] of [
    ['a', 'YES'],
    ['b', 'NO'],
    ['c', random.pick(['YES', 'NO', 'MAYBE'])],
  ] as const)
    steps[id] = {
      id,
      type: 'terminal',
      result: { code, message: `it's ${id}`, ...(hasOutputs ? { output: outputs(random) } : {}) },
    }
  const mode = random.pick(['lenient', 'lenient', 'strict', 'default'])
  const defaults = mode === 'default' ? { defaults: { name: random.pick(TEXTS), total: random.pick(NUMBERS) } } : {}
  const limit = random.chance(0.2) ? { max_depth: 1 + random.below(60) } : { max_depth: 100 }
  return { config: { name: 'random', entry_step: 's0', field_missing: mode, ...defaults, ...limit }, steps }
}

function outputs(random: Random): Value {
  return OUTPUTS.filter(() => random.chance(0.6)).map(([name, expressions]) => [name, random.pick(expressions)])
}

/** Known values of a caller, some of them null. */
export function randomKnown(random: Random): { readonly [key: string]: Value } {
  const user = {
    role: random.pick(['admin', 'clerk', null]),
    level: random.pick([1, 3]),
    name: random.pick([null, 'ada']),
    groups: ['staff'],
  }
  return { user, flag: random.chance(0.5) }
}
