import { atom, call, choice, comparison, LEVEL, literal, type Text, type ValueType, within } from './text.ts'

/** A limit of ZEN or of this engine that the other does not have. */
export type Difference = 'decimals' | 'text-length' | 'unicode-classes' | 'key-order'

/** A ZEN function and its equivalent. */
export interface FunctionRow {
  readonly least: number
  readonly most: number
  readonly type: ValueType
  readonly difference?: Difference
  /** Undefined when these arguments have no equivalent. */
  readonly write: (...args: readonly Text[]) => Text | undefined
  /** For a predicate: the condition that it does not fail for the same arguments. */
  readonly sound?: (...args: readonly Text[]) => Text
}

const plain =
  (name: string, type: ValueType) =>
  (...args: readonly Text[]): Text =>
    call(name, type, ...args)

const numeric = (name: string): FunctionRow => ({
  least: 1,
  most: 1,
  type: 'number',
  difference: 'decimals',
  write: plain(name, 'number'),
})

const ofText = (name: string): FunctionRow => ({ least: 1, most: 1, type: 'text', write: plain(name, 'text') })

const isText = (value: Text): Text => (value.type === 'text' ? literal(true) : call('is_string', 'boolean', value))

const predicate = (name: string): FunctionRow => ({
  least: 2,
  most: 2,
  type: 'boolean',
  write: plain(name, 'boolean'),
  sound: (text) => isText(text),
})

/** Constant regular expressions only: computed ones cannot be checked. */
const matches: FunctionRow = {
  ...predicate('matches'),
  write: (text, pattern) =>
    pattern?.type === 'text' && pattern.text.startsWith('"') ? call('matches', 'boolean', text, pattern) : undefined,
}

/** `round(x, n)`: the number of digits must be constant, since invalid values fail here. */
function rounded(value: Text | undefined, digits: Text = literal(0)): Text | undefined {
  if (value === undefined || !/^(?:\d|1[0-5])$/.test(digits.text)) return undefined
  return digits.text === '0' ? call('round', 'number', value) : call('round', 'number', value, digits)
}

/**
 * The functions with an exact equivalent. The others have none: dates and durations (other types), `rand` (not
 * deterministic), `extract`, `fuzzyMatch`, `median`, `mode`, `number`, `bool` (other rules for texts).
 */
export const ZEN_FUNCTIONS: ReadonlyMap<string, FunctionRow> = new Map<string, FunctionRow>([
  ['len', { least: 1, most: 1, type: 'number', difference: 'text-length', write: plain('len', 'number') }],
  ['trim', ofText('trim')],
  ['upper', ofText('upper')],
  ['lower', ofText('lower')],
  ['startsWith', predicate('starts_with')],
  ['endsWith', predicate('ends_with')],
  [
    'contains',
    {
      ...predicate('contains'),
      sound: (container) =>
        container === undefined || container.type === 'list' || container.type === 'text'
          ? literal(true)
          : {
              text: `is_string(${container.text}) || is_array(${container.text})`,
              level: LEVEL.or,
              type: 'boolean',
            },
    },
  ],
  ['matches', { ...matches, difference: 'unicode-classes' }],
  [
    'split',
    {
      least: 2,
      most: 2,
      type: 'list',
      write: (text, separator) =>
        separator?.type === 'text' && separator.text.length > 2 && separator.text.startsWith('"')
          ? call('split', 'list', text, separator)
          : undefined,
    },
  ],
  ['string', { least: 1, most: 1, type: 'text', difference: 'decimals', write: plain('to_string', 'text') }],
  ['abs', numeric('abs')],
  ['sum', numeric('sum')],
  ['avg', numeric('avg')],
  ['min', numeric('min')],
  ['max', numeric('max')],
  ['floor', numeric('floor')],
  ['ceil', numeric('ceil')],
  ['trunc', numeric('to_int')],
  ['round', { least: 1, most: 2, type: 'number', difference: 'decimals', write: rounded }],
  ['keys', { least: 1, most: 1, type: 'list', difference: 'key-order', write: plain('keys', 'list') }],
  ['values', { least: 1, most: 1, type: 'list', difference: 'key-order', write: plain('values', 'list') }],
])

/** A function of a list and an expression with `#` as the element. */
export interface ClosureRow {
  readonly type: ValueType
  /** The second argument is a condition. */
  readonly tests: boolean
  readonly write: (list: Text, f: Text) => Text
}

const closure = (name: string, type: ValueType, tests: boolean): ClosureRow => ({
  type,
  tests,
  write: (list, f) => call(name, type, list, f),
})

export const ZEN_CLOSURES: ReadonlyMap<string, ClosureRow> = new Map<string, ClosureRow>([
  ['filter', closure('filter', 'list', true)],
  ['map', closure('map', 'list', false)],
  ['some', closure('any', 'boolean', true)],
  ['all', closure('all', 'boolean', true)],
  ['none', closure('none', 'boolean', true)],
  ['count', closure('count', 'number', true)],
  [
    'one',
    {
      type: 'boolean',
      tests: true,
      write: (list, f) => comparison('==', call('count', 'number', list, f), literal(1)),
    },
  ],
  [
    'flatMap',
    { type: 'list', tests: false, write: (list, f) => call('flatten', 'list', call('map', 'list', list, f)) },
  ],
])

/** A value as part of a text: ZEN converts non-texts like `string`. */
export function asText(value: Text): Text {
  return value.type === 'text' ? value : call('to_string', 'text', value)
}

/** A quotient: ZEN gives null for a division by zero. */
export function quotient(left: Text, right: Text): Text {
  const divided: Text = {
    text: `${within(LEVEL.product, left)} / ${within(LEVEL.product + 1, right)}`,
    level: LEVEL.product,
    type: 'number',
  }
  if (/^\d/.test(right.text) && right.level === LEVEL.atom && Number(right.text) !== 0) return divided
  return choice(comparison('==', right, literal(0)), atom('null', 'null'), divided)
}
