import { isNumber, print, stringifyJson, type Value } from '@engine/expression'
import type { Encoder } from './formula/encoder.ts'
import type { Literal } from './search/solver.ts'
import type { Bounds } from './terms/line.ts'
import type { NumberPoint } from './terms/order.ts'
import type { Kind, Term } from './terms/term.ts'

const BY_KIND: Readonly<Record<Exclude<Kind, 'number' | 'text'>, (path: string) => string>> = {
  missing: (path) => `!exists(${path})`,
  null: (path) => `${path} == null`,
  false: (path) => `${path} == false`,
  true: (path) => `${path} == true`,
  'empty list': (path) => `${path} == []`,
  list: (path) => `is_array(${path})`,
  'empty object': (path) => `${path} == {}`,
  object: (path) => `is_object(${path})`,
  error: (path) => `${path} fails`,
}

/** The condition of the inputs behind the solver's last answer, over the values that matter. */
export function describe(encoder: Encoder, assumptions: readonly Literal[]): string {
  const read = new Set(encoder.solver.justification(assumptions).map((literal) => literal >> 1))
  const sentences: string[] = []
  for (const term of encoder.terms.values()) {
    const sentence = sentenceOf(encoder, term, read)
    if (sentence !== undefined) sentences.push(sentence)
  }
  return sentences.length === 0 ? 'true' : sentences.join(' && ')
}

function sentenceOf({ solver }: Encoder, term: Term, read: ReadonlySet<number>): string | undefined {
  const path = print(term.expression)
  const isRead = (literal: Literal): boolean => read.has(literal >> 1)
  const numbers = term.numbers.bounds()
  const texts = term.texts.bounds()
  const holds = (kind: Kind): boolean => term.kinds.has(kind) && solver.valueOf(term.is(kind)) === true
  if (holds('number')) {
    const isMet = [...numbers.because, term.is('number')].some(isRead)
    return isMet ? within(path, numbers) || `is_number(${path})` : undefined
  }
  if (holds('text')) {
    const features = [...term.features.values()].filter(({ literal }) => isRead(literal))
    const parts = features.map(({ kind, constant, literal }) => {
      const text = `${kind === 'suffix' ? 'ends_with' : 'contains'}(${path}, ${stringifyJson(constant)})`
      return solver.valueOf(literal) === true ? text : `!${text}`
    })
    const isMet = parts.length > 0 || [...texts.because, term.is('text')].some(isRead)
    return isMet ? [within(path, texts) || `is_string(${path})`, ...parts].join(' && ') : undefined
  }
  for (const [kind, literal] of term.kinds)
    if (kind !== 'number' && kind !== 'text' && isRead(literal) && solver.valueOf(literal) === true)
      return BY_KIND[kind](path)
  return undefined
}

function within(path: string, { low, high, isLowOpen, isHighOpen }: Bounds<NumberPoint> | Bounds<string>): string {
  if (low !== undefined && low === high) return `${path} == ${shown(low)}`
  const from = low === undefined ? [] : [`${path} ${isLowOpen ? '>' : '>='} ${shown(low)}`]
  const to = high === undefined ? [] : [`${path} ${isHighOpen ? '<' : '<='} ${shown(high)}`]
  return [...from, ...to].join(' && ')
}

function shown(value: Value): string {
  return isNumber(value) ? String(value) : stringifyJson(value)
}
