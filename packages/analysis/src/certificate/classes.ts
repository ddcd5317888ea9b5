import {
  isList,
  constantOf,
  type Expression,
  isBinaryOf,
  isDecimal,
  isNumber,
  type Value,
  walk,
} from '@engine/expression'
import { expressionsOf, type Ruleset } from '@engine/ruleset'
import { DECIMALS, type NumberPoint, NUMBERS, type Order, TEXTS } from '../terms/order.ts'
import { sortedText } from '../terms/term.ts'

/** Values for which every comparison with a constant has the same result: an example, undefined for a missing field. */
export interface Class {
  readonly value: Value | undefined
  readonly isOnly: boolean
}

/** The classes of values that the constants of rulesets divide, the same for all fields. */
export class Classes {
  readonly list: readonly Class[]
  /** By their texts, which are equal for equal numbers and texts. */
  readonly #points = new Map<string, Value>()

  constructor(rulesets: readonly Ruleset[]) {
    for (const one of [0, '']) this.#add(one)
    for (const { steps, config } of rulesets) {
      for (const { values = [], minimum = 0, maximum = 0 } of config.contract?.fields ?? [])
        for (const one of [...values, minimum, maximum]) this.#add(one)
      for (const node of [...steps.values()].flatMap(expressionsOf))
        walk(node, (part) => {
          const constant = constantOf(part) ?? null
          this.#add(constant)
          if (typeof constant === 'string') this.#add(behindPrefix(constant))
        })
    }
    const isDecimals = rulesets[0]?.config.numbers === 'decimal'
    this.list = classesBetween([...this.#points.values()], isDecimals ? DECIMALS : NUMBERS)
  }

  #add(point: Value): void {
    if (isNumber(point) || typeof point === 'string') this.#points.set(sortedText(point), point)
  }

  /** Whether an expression over one field has the same outcome for all values of a class with more than one. */
  isUniform(node: Expression, { value, isOnly }: Class): boolean {
    if (isOnly) return true
    // Types, null and missing values decide these, or points that are separate classes.
    const isField = (part: Expression | undefined): boolean => part?.kind === 'field'
    if (isField(node)) return true
    if (node.kind === 'call') {
      const [first, second] = node.args
      if (!isField(first)) return false
      if (second === undefined) return node.name.startsWith('is_') || node.name === 'exists'
      const constant = constantOf(second)
      if (typeof constant !== 'string') return false
      if (node.name === 'starts_with')
        return this.#isPoint(constant, value) && this.#isPoint(behindPrefix(constant), value)
      return ['ends_with', 'contains_str'].includes(node.name) && typeof value !== 'string'
    }
    if (node.kind !== 'binary') return false
    const [left, right] = [constantOf(node.left), constantOf(node.right)]
    const operand = left === undefined ? node.left : node.right
    const [inner, ...rest] =
      operand.kind === 'call' && ['type', 'coalesce'].includes(operand.name) ? operand.args : [operand]
    if (!isField(inner) || rest.some((one) => constantOf(one) === undefined)) return false
    if (['in', 'not in'].includes(node.operator))
      return isList(right) && right.every((one) => this.#isPoint(one, value))
    const constant = left === undefined ? right : left
    // Neither side is constant where a field is compared with a computation from it, such as `n == round(n)`.
    if (constant === undefined) return false
    return (isBinaryOf('order', node) || isBinaryOf('equality', node)) && this.#isPoint(constant, value)
  }

  #isPoint(constant: Value, value: Value | undefined): boolean {
    if (isNumber(constant) || typeof constant === 'string') return this.#points.has(sortedText(constant))
    const isContainer = (one: Value | undefined): boolean => typeof one === 'object' && one !== null && !isDecimal(one)
    return !isContainer(constant) || !isContainer(value)
  }
}

/** Every JSON value is in one of these classes. */
function classesBetween(points: readonly Value[], numbers: Order<NumberPoint>): readonly Class[] {
  const between = <One extends NumberPoint | string>(all: readonly One[], order: Order<One>): Class[] => {
    const sorted = all.toSorted((one, other) => (order.precedes(one, other) ? -1 : 1))
    const classes: Class[] = []
    for (const [index, value] of [...sorted, undefined].entries()) {
      const open = order.between(sorted[index - 1], value)
      if (open !== undefined) classes.push({ value: open, isOnly: false })
      if (value !== undefined) classes.push({ value, isOnly: true })
    }
    return classes
  }
  return [
    ...[undefined, null, false, true, [], {}].map((value) => ({ value, isOnly: true })),
    { value: ['another value'], isOnly: false },
    { value: { another: 1 }, isOnly: false },
    ...between(
      points.filter((one) => typeof one === 'string'),
      TEXTS,
    ),
    ...between(
      points.filter((one) => isNumber(one)),
      numbers,
    ),
  ]
}

/** The first text behind all that begin with a prefix. */
function behindPrefix(prefix: string): string {
  const last = prefix.replace(/\uffff+$/, '')
  return last === '' ? '' : last.slice(0, -1) + String.fromCharCode(last.charCodeAt(last.length - 1) + 1)
}
