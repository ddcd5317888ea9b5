import {
  defined,
  type EvaluationPolicy,
  type Expression,
  isNumber,
  print,
  printPath,
  rewrite,
  stringifyJson,
  walk,
} from '@engine/expression'
import { leadsToAnswer } from '../formula/answers.ts'
import type { Encoder } from '../formula/encoder.ts'
import { type Literal, negated } from '../search/solver.ts'
import type { Feature, Kind, Term } from '../terms/term.ts'
import { afterPrefix } from '../formula/shape.ts'
import type { Cube, Fact } from './cover.ts'
import { complement, type Interval, isWhole, type Part, type Point, type Values } from './values.ts'

/** Writes sets of inputs as conditions of the language, over inputs as they are sent: a missing field is null. */
export class Conditions {
  readonly #policy: EvaluationPolicy | undefined
  readonly #computedBy: Encoder['computedBy']

  /** @param policy that of the rulesets; undefined: they have different ones */
  constructor({ computedBy }: Encoder, policy: EvaluationPolicy | undefined) {
    this.#policy = policy
    this.#computedBy = computedBy
  }

  /** Whether a set has a condition that holds for its inputs and no others. */
  isExact({ values, facts }: Cube): boolean {
    return (
      facts.every((fact) => this.#isNamed(fact)) &&
      [...values].every(([term, own]) => this.#isReadable(term) && !own.has('error'))
    )
  }

  /** `true` for all inputs. */
  textOf({ values, facts }: Cube): string {
    const sentences = [...values].map(([term, own]) => valuesText(term, this.#pathOf(term), own))
    return joined([...sentences, ...this.#factTexts(facts)], ' && ')
  }

  #isNamed(fact: Fact): boolean {
    if ('pair' in fact) return this.#isReadable(fact.pair.left) && this.#isReadable(fact.pair.right)
    return 'finite' in fact && this.#isInLanguage(fact.finite)
  }

  /** Two comparisons that exclude less and equal are one: greater. */
  #factTexts(facts: readonly Fact[]): readonly Sentence[] {
    const holds = (literal: Literal) => facts.some((fact) => fact.literal === literal)
    return facts.flatMap((fact) => {
      if ('finite' in fact) return [{ text: `is_number(${this.#textOf(fact.finite)})`, isAlternative: false }]
      if (!('pair' in fact)) return []
      const { pair, operator } = fact
      const isGreater = holds(negated(pair.less)) && holds(negated(pair.equal))
      if (isGreater && operator === '!=') return []
      const text = `${this.#pathOf(pair.left)} ${isGreater ? '>' : operator} ${this.#pathOf(pair.right)}`
      return [{ text, isAlternative: false }]
    })
  }

  /** Whether the text of a term has its value. A decimal quotient has none: rules compare it before it is rounded. */
  #isReadable(term: Term): boolean {
    if (term.field !== undefined) return !leadsToAnswer(term.field.path)
    return this.#computedBy.get(term)?.isExact !== true && this.#isInLanguage(term.expression)
  }

  #isInLanguage(expression: Expression): boolean {
    if (this.#policy === undefined) return false
    let isRead = true
    // With strict fields, functions of a missing field fail that would otherwise take a null.
    const isStrict = this.#policy.mode === 'strict'
    walk(expression, (node) => {
      const { kind } = node
      if (kind === 'field' && leadsToAnswer(node.path)) isRead = false
      isRead &&= kind !== 'variable' && !(isStrict && (kind === 'call' || kind === 'conditional'))
    })
    return isRead
  }

  #pathOf({ field, expression }: Term): string {
    return field === undefined ? this.#textOf(expression) : printed(field)
  }

  /** A computation as a text; a field that is missing is replaced by its default. */
  #textOf(expression: Expression): string {
    const defaults = this.#policy?.mode === 'default' ? this.#policy.defaults : undefined
    if (defaults === undefined) return printed(expression)
    return printed(
      rewrite(expression, (node) => {
        const value = node.kind === 'field' ? defaults.get(printPath(node)) : undefined
        if (value === undefined) return node
        const { span } = node
        const condition: Expression = { kind: 'call', name: 'exists', args: [node], span, nameSpan: span }
        return { kind: 'conditional', condition, consequent: node, alternate: { kind: 'literal', value, span }, span }
      }),
    )
  }
}

/** The text of an expression. Answers of external calls are written in square brackets, which does not parse. */
function printed(expression: Expression): string {
  return print(expression).replaceAll(/\$\["(answer of (?:[^"\\]|\\.)*)"\]/g, '[$1]')
}

/** A part of a condition; alternatives get parentheses in a larger one. */
interface Sentence {
  readonly text: string
  readonly isAlternative: boolean
}

function joined(sentences: readonly Sentence[], operator: string): string {
  if (sentences.length === 0) return 'true'
  if (sentences.length === 1) return defined(sentences[0]).text
  return sentences.map(({ text, isAlternative }) => (isAlternative ? `(${text})` : text)).join(operator)
}

function valuesText(term: Term, path: string, values: Values): Sentence {
  const rest = complement(term, values)
  if (isTruthy(term, values)) return { text: path, isAlternative: false }
  if (rest !== undefined && isTruthy(term, rest)) return { text: `!${path}`, isAlternative: false }
  if (rest !== undefined && rest.size > 0 && !rest.has('error') && partsIn(rest) < partsIn(values)) {
    const texts = alternativesOf(term, path, rest, true).map(({ opposite }) => opposite)
    return { text: texts.join(' && '), isAlternative: false }
  }
  const texts = alternativesOf(term, path, values, false).map(({ text }) => text)
  return { text: texts.join(' || '), isAlternative: texts.length > 1 }
}

/** Whether these are the values of a field that count as true in a condition. */
function isTruthy(term: Term, values: Values): boolean {
  return (
    term.field !== undefined &&
    term.kinds.has('number') &&
    [...term.kinds.keys()].every((kind) => {
      const part = values.get(kind)
      if (part === undefined || !TRUTHY.has(kind)) return part === undefined && !TRUTHY.has(kind)
      if (kind !== 'number' && kind !== 'text') return part.features.length === 0
      const [run, ...more] = runsOf(part.intervals)
      const isUnbounded = run?.from === undefined && run?.to === undefined && more.length === 0
      const [exception, ...others] = run?.except ?? []
      const isZero = exception === (kind === 'number' ? 0 : '') && others.length === 0
      return isUnbounded && isZero && part.features.length === 0
    })
  )
}

const TRUTHY: ReadonlySet<Kind> = new Set(['true', 'number', 'text', 'list', 'object'])

const partsIn = (values: Values): number => [...values.values()].reduce((sum, part) => sum + part.intervals.length, 0)

/** A condition and its negation. */
interface Alternative {
  readonly text: string
  readonly opposite: string
}

const simple = (text: string): Alternative => ({ text, opposite: `!${text}` })
const compound = (text: string): Alternative => ({ text, opposite: `!(${text})` })

/**
 * The alternatives that make up some values. Tests of a kind come first, because a comparison fails for values of other kinds.
 *
 * @param isGuarded whether each comparison has to be false, not fail, for other kinds
 */
function alternativesOf(term: Term, path: string, values: Values, isGuarded: boolean): readonly Alternative[] {
  const has = (kind: Kind) => values.has(kind)
  const found: Alternative[] = []
  if (has('null') && (has('missing') || !term.kinds.has('missing'))) found.push(equality(path, 'null'))
  else if (has('missing')) found.push({ text: `!exists(${path})`, opposite: `exists(${path})` })
  else if (has('null')) found.push(compound(`exists(${path}) && ${path} == null`))
  if (has('false') && has('true')) found.push(simple(`is_bool(${path})`))
  else if (has('false') || has('true')) found.push(equality(path, String(has('true'))))
  for (const [empty, kind, test, none] of CONTAINERS) {
    const part = values.get(kind)
    const isAll = part !== undefined && isWhole(part) && (has(empty) || !term.kinds.has(empty))
    if (isAll) found.push(simple(`${test}(${path})`))
    else if (has(empty)) found.push(equality(path, none))
    if (isAll || part === undefined) continue
    const features = featureTexts(term, path, part.features)
    const isConstant = [...term.features.values()].some(
      (one) => one.kind === 'constant' && part.features.includes(one.literal),
    )
    const isFilled = part.features.some((literal) => (literal & 1) === 0)
    const tests = [...(isConstant ? [] : [`${test}(${path})`]), ...(isFilled ? [] : [`${path} != ${none}`])]
    found.push(compound([...tests, ...features].join(' && ')))
  }
  if (has('error')) found.push(simple(`${path} fails`))
  const lines = LINES.flatMap(([kind, test]) => {
    const part = values.get(kind)
    return part === undefined ? [] : [{ part, test: `${test}(${path})` }]
  })
  const compared = lines.filter(({ part }) => !isWhole(part))
  const isMixed = isGuarded || compared.length > 1
  return [
    ...found,
    ...lines.filter((line) => !compared.includes(line)).map(({ test }) => simple(test)),
    ...compared.flatMap(({ part, test }) => comparisons(term, path, part, isMixed ? test : undefined, test)),
  ]
}

const CONTAINERS = [
  ['empty list', 'list', 'is_array', '[]'],
  ['empty object', 'object', 'is_object', '{}'],
] as const

const LINES = [
  ['number', 'is_number'],
  ['text', 'is_string'],
] as const

const equality = (path: string, value: string): Alternative => ({
  text: `${path} == ${value}`,
  opposite: `${path} != ${value}`,
})

/** An interval, without some points in it. */
interface Run extends Interval {
  readonly except: readonly Point[]
}

/** Intervals of which those that a point parts are one. No text comes before the empty one. */
function runsOf(intervals: readonly Interval[]): readonly Run[] {
  const runs: Run[] = []
  for (const { from, to } of intervals) {
    const last = runs.at(-1)
    if (last?.to !== undefined && last.to.at === from?.at && !isPoint(last))
      runs[runs.length - 1] = { from: last.from, to, except: [...last.except, last.to.at] }
    else if (from?.at === '' && from.isBehind) runs.push({ from: undefined, to, except: [''] })
    else if (to?.at === '' && to.isBehind) runs.push({ from: { ...to, isBehind: false }, to, except: [] })
    else runs.push({ from, to, except: [] })
  }
  return runs
}

/** Comparisons with the bounds of intervals; intervals that a point parts are one. */
function comparisons(
  term: Term,
  path: string,
  { intervals, features }: Part,
  guard: string | undefined,
  test: string,
): readonly Alternative[] {
  const runs = runsOf(intervals)
  const required = featureTexts(term, path, features)
  const points = features.length > 0 ? [] : runs.filter(isPoint).map(({ from }) => shown(defined(from).at))
  const stretches = runs.filter((run) => features.length > 0 || !isPoint(run))
  return [
    ...(points.length === 0
      ? []
      : [points.length === 1 ? equality(path, defined(points[0])) : compound(`${path} in [${points.join(', ')}]`)]),
    ...stretches.map(({ from, to, except }) => {
      const bounds = boundTexts(path, from, to)
      const isGuarded = guard !== undefined || bounds.length === 0
      return compound([...(isGuarded ? [test] : []), ...bounds, ...without(path, except), ...required].join(' && '))
    }),
  ]
}

function without(path: string, points: readonly Point[]): readonly string[] {
  const [point, ...more] = points.map(shown)
  if (point === undefined) return []
  return [more.length === 0 ? `${path} != ${point}` : `!(${path} in [${[point, ...more].join(', ')}])`]
}

const isPoint = ({ from, to }: Interval): boolean => from !== undefined && to !== undefined && from.at === to.at

function boundTexts(path: string, from: Interval['from'], to: Interval['to']): readonly string[] {
  if (from !== undefined && from.at === to?.at) return [`${path} == ${shown(from.at)}`]
  if (typeof from?.at === 'string' && !from.isBehind && to?.isBehind === false && afterPrefix(from.at)[0] === to.at)
    return [`starts_with(${path}, ${shown(from.at)})`]
  return [
    ...(from === undefined ? [] : [`${path} ${from.isBehind ? '>' : '>='} ${shown(from.at)}`]),
    ...(to === undefined ? [] : [`${path} ${to.isBehind ? '<=' : '<'} ${shown(to.at)}`]),
  ]
}

function shown(value: Point): string {
  return isNumber(value) ? String(value) : stringifyJson(value)
}

function featureTexts(term: Term, path: string, literals: readonly Literal[]): readonly string[] {
  return literals.flatMap((literal) => {
    const feature = [...term.features.values()].find((one) => one.literal >> 1 === literal >> 1)
    if (feature === undefined) return []
    const { text, opposite } = featureText(path, feature)
    return [(literal & 1) === 0 ? text : opposite]
  })
}

function featureText(path: string, { kind, constant }: Feature): Alternative {
  const value = stringifyJson(constant)
  if (kind === 'constant') return equality(path, value)
  return simple(`${kind === 'suffix' ? 'ends_with' : 'contains'}(${path}, ${value})`)
}
