import { isList, quote, type Value } from '@engine/expression'
import { at, type Fields, isFields, member, type Place } from '@engine/ruleset'
import type { Losses } from '../losses.ts'
import { wrongType } from './document.ts'
import { OPERATORS } from './operator.ts'
import { pathText } from './path.ts'

/** Maximum number of conditions of one document, each counted wherever it is referenced. */
const MAX_CONDITIONS = 200_000

/** Reads the conditions of one document. */
export class Reading {
  readonly losses: Losses
  /** Named conditions that others refer to. */
  readonly shared: Fields
  #left = MAX_CONDITIONS

  constructor(losses: Losses, shared: Fields) {
    this.losses = losses
    this.shared = shared
  }

  /** Counts a condition; false when there are too many. */
  take(): boolean {
    return this.#left-- > 0
  }

  /** The limit was exceeded. */
  get isOver(): boolean {
    return this.#left < 0
  }
}

/** Nesting levels: the limit of our own conditions with their parentheses. */
const MAX_DEPTH = 60

/** Characters of one condition. */
const MAX_LENGTH = 60_000

/**
 * The text of a condition of a rule; undefined after a loss. Linear in its size, with shared conditions counted at
 * every use.
 */
export function conditionText(reading: Reading, place: Place, value: Value): string | undefined {
  const text = written(reading, place, value, 0)?.text
  if (text !== undefined && text.length > MAX_LENGTH)
    return reading.losses.error(place, { code: 'too-long', message: 'the condition is too long for one row' })
  return text
}

interface Written {
  readonly text: string
  /** It is a chain of `&&` or `||`, or negated as a whole. */
  readonly joins?: '&&' | '||'
}

function written(reading: Reading, place: Place, value: Value, depth: number): Written | undefined {
  const { losses } = reading
  if (!isFields(value)) return losses.error(place, wrongType('a condition', value))
  if (depth > MAX_DEPTH)
    return losses.error(place, {
      code: 'nested-too-deeply',
      message: `must be nested at most ${MAX_DEPTH} levels deep`,
    })
  if (!reading.take())
    return losses.error(place, {
      code: 'too-many',
      message: `a document may have at most ${MAX_CONDITIONS} conditions, including references`,
    })
  for (const [key, operator] of [
    ['any', '||'],
    ['all', '&&'],
  ] as const) {
    const list = member(value, key)
    if (list !== undefined) return joined(reading, at(place, key), list, operator, depth)
  }
  const negated = member(value, 'not')
  if (negated !== undefined) {
    const inner = written(reading, at(place, 'not'), negated, depth + 1)
    return inner && { text: `!(${inner.text})` }
  }
  const name = member(value, 'condition')
  return name === undefined ? comparison(reading, place, value) : named(reading, place, name, depth)
}

function joined(
  reading: Reading,
  place: Place,
  list: Value,
  operator: '&&' | '||',
  depth: number,
): Written | undefined {
  if (!isList(list)) return reading.losses.error(place, wrongType('a list of conditions', list))
  const parts: Written[] = []
  let isWhole = true
  for (const [index, inner] of list.entries()) {
    const part = written(reading, at(place, index), inner, depth + 1)
    if (part !== undefined) parts.push(part)
    isWhole &&= part !== undefined
    if (reading.isOver) break
  }
  if (!isWhole) return undefined
  const [only] = parts
  if (parts.length === 1) return only
  // An empty `all` is true, and in json-rules-engine so is an empty `any`.
  if (parts.length === 0) return { text: 'true' }
  const texts = parts.map((part) =>
    part.joins !== undefined && part.joins !== operator ? `(${part.text})` : part.text,
  )
  return { text: texts.join(` ${operator} `), joins: operator }
}

function named(reading: Reading, place: Place, name: Value, depth: number): Written | undefined {
  const shared = typeof name === 'string' ? member(reading.shared, name) : undefined
  if (shared === undefined || typeof name !== 'string')
    return reading.losses.error(at(place, 'condition'), {
      code: 'unknown-condition',
      message: 'the referenced condition is not part of the document',
    })
  const own = at(at(undefined, 'conditions'), name)
  return written(reading, own, shared, depth + 1)
}

function comparison({ losses }: Reading, place: Place, fields: Fields): Written | undefined {
  const name = member(fields, 'operator')
  const operator = typeof name === 'string' ? OPERATORS.get(name) : undefined
  if (operator === undefined) {
    const code = typeof name === 'string' ? 'unknown-operator' : 'wrong-type'
    const message = typeof name === 'string' ? `${quote(name)} has no equivalent` : 'must be an operator'
    return losses.error(at(place, 'operator'), { code, message })
  }
  const left = factOf(losses, place, fields)
  const right = rightOf(losses, place, member(fields, 'value'))
  if (left === undefined || right === undefined) return undefined
  if (right.kind === 'fact')
    losses.warn(at(place, 'value'), {
      code: 'comparison',
      message:
        'a comparison of two facts: absent ones, null, lists and mixed types compare differently in json-rules-engine',
    })
  const text = operator(left, right)
  if (typeof text === 'string') return { text, joins: '&&' }
  return losses.error(at(place, 'value'), { code: 'no-counterpart', message: text.lost })
}

/** A fact with its path. */
function factOf(losses: Losses, place: Place, fields: Fields): string | undefined {
  const fact = member(fields, 'fact')
  if (typeof fact !== 'string' || fact === '')
    return losses.error(at(place, 'fact'), wrongType('the name of a fact', fact))
  if (member(fields, 'params') !== undefined)
    return losses.error(at(place, 'params'), {
      code: 'no-counterpart',
      message: 'a fact computed from parameters has no equivalent: pass it in the input',
    })
  const path = member(fields, 'path') ?? ''
  if (typeof path !== 'string') return losses.error(at(place, 'path'), wrongType('a text', path))
  const text = pathText(fact, path)
  if (text !== undefined) return text
  const message = 'only paths of names and indexes are supported, such as `$.lines[0].price`'
  return losses.error(at(place, 'path'), { code: 'no-counterpart', message })
}

/** The right operand: a constant, or another fact. */
export type Right =
  | { readonly kind: 'constant'; readonly value: Value }
  | { readonly kind: 'fact'; readonly text: string }

function rightOf(losses: Losses, place: Place, value: Value | undefined): Right | undefined {
  const own = at(place, 'value')
  if (value === undefined) return losses.error(own, wrongType('a value', value))
  if (!isFields(value) || member(value, 'fact') === undefined) return { kind: 'constant', value }
  const text = factOf(losses, own, value)
  return text === undefined ? undefined : { kind: 'fact', text }
}
