import { isList, constantOf, type Expression, isBinaryOf, type Value, walk } from '@engine/expression'
import { expressionsOf, type Ruleset } from '@engine/ruleset'
import { type NumberPoint, NUMBERS, TEXTS } from '../terms/order.ts'

/** Values for which every comparison with a constant has the same result: an example, undefined for a missing field. */
export interface Class {
  readonly value: Value | undefined
  readonly isOnly: boolean
}

/** The classes of values that the constants of rulesets divide, the same for all fields. */
export class Classes {
  readonly list: readonly Class[]
  readonly #points = new Set<Value>([0, ''])

  constructor(rulesets: readonly Ruleset[]) {
    for (const { steps, config } of rulesets) {
      for (const { values = [], minimum = 0, maximum = 0 } of config.contract?.fields ?? [])
        for (const one of [...values, minimum, maximum]) this.#points.add(one)
      for (const node of [...steps.values()].flatMap(expressionsOf))
        walk(node, (part) => {
          const constant = constantOf(part) ?? null
          for (const one of [constant, ...(isList(constant) ? constant : [])]) this.#points.add(one)
          if (typeof constant === 'string') this.#points.add(behindPrefix(constant))
        })
    }
    this.list = classesBetween([...this.#points])
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
      if (typeof constant !== 'string' || node.args.length > 2) return false
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
    return (isBinaryOf('order', node) || isBinaryOf('equality', node)) && this.#isPoint(left ?? right ?? null, value)
  }

  #isPoint(constant: Value, value: Value | undefined): boolean {
    return typeof constant === 'object' && constant !== null ? typeof value !== 'object' : this.#points.has(constant)
  }
}

/** Every JSON value is in one of these classes. */
function classesBetween(points: readonly Value[]): readonly Class[] {
  const between = <One extends NumberPoint | string>(
    all: readonly One[],
    inner: (low?: One, high?: One) => One | undefined,
  ): Class[] => {
    const sorted = all.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0))
    const classes: Class[] = []
    for (const [index, value] of [...sorted, undefined].entries()) {
      const open = inner(sorted[index - 1], value)
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
      (low, high) => TEXTS.between(low, high),
    ),
    ...between(
      points.filter((one): one is NumberPoint => typeof one === 'number' || typeof one === 'bigint'),
      NUMBERS.between,
    ),
  ]
}

/** The first text behind all that begin with a prefix. */
function behindPrefix(prefix: string): string {
  const last = prefix.replace(/\uffff+$/, '')
  return last === '' ? '' : last.slice(0, -1) + String.fromCharCode(last.charCodeAt(last.length - 1) + 1)
}
