import type { Budget } from './budget.ts'
import { defined } from './defined.ts'

/**
 * Maximum number of character comparisons of a search left to V8, which may compare the whole part at every position.
 */
const MAX_UNCHECKED_WORK = 4096
/** V8 finds parts up to this length in linear time. */
const MAX_LINEAR_PART = 4
/** Characters compared between two charges. */
const STRIDE = 4096

/**
 * Substring search in linear time for all inputs: V8's own search can take the product of both lengths. All work is
 * charged.
 */
export class TextSearch {
  readonly #budget: Budget
  readonly #text: string
  readonly #part: string
  /**
   * The failure function: for each prefix of the part, the length of its longest suffix that is also a prefix; built
   * only when needed.
   */
  #borders: Int32Array | undefined

  constructor(budget: Budget, text: string, part: string) {
    this.#budget = budget
    this.#text = text
    this.#part = part
  }

  /** The first position at or after `from`, or -1. */
  next(from: number): number {
    const [text, part, budget] = [this.#text, this.#part, this.#budget]
    const rest = text.length - from
    const { length } = part
    if (rest < length) return -1
    if (length <= MAX_LINEAR_PART || rest * length <= MAX_UNCHECKED_WORK) {
      const at = text.indexOf(part, from)
      budget.spend(2 + (((at < 0 ? rest : at - from + length) * Math.min(length, 16)) >> 4))
      return at
    }
    return this.#search(from)
  }

  /** Knuth-Morris-Pratt. */
  #search(from: number): number {
    const [text, part, budget] = [this.#text, this.#part, this.#budget]
    const borders = (this.#borders ??= bordersOf(part, budget))
    let matched = 0
    for (let index = from; index < text.length;) {
      const end = Math.min(index + STRIDE, text.length)
      budget.spend(2 * (end - index))
      for (; index < end; index++) {
        const character = text.charCodeAt(index)
        while (matched > 0 && part.charCodeAt(matched) !== character) matched = defined(borders[matched - 1])
        if (part.charCodeAt(matched) === character) matched++
        if (matched === part.length) return index - matched + 1
      }
    }
    return -1
  }
}

function bordersOf(part: string, budget: Budget): Int32Array {
  budget.create(part.length * 4)
  budget.spend(part.length)
  const borders = new Int32Array(part.length)
  let matched = 0
  for (let index = 1; index < part.length; index++) {
    const character = part.charCodeAt(index)
    while (matched > 0 && part.charCodeAt(matched) !== character) matched = defined(borders[matched - 1])
    if (part.charCodeAt(matched) === character) matched++
    borders[index] = matched
  }
  return borders
}

/** The first position of a part in a text, or -1. */
export function positionOf(budget: Budget, text: string, part: string): number {
  const work = text.length * part.length
  if (work <= MAX_UNCHECKED_WORK) {
    budget.spend(2 + (work >> 4))
    return text.indexOf(part)
  }
  return new TextSearch(budget, text, part).next(0)
}

/** Every position of a non-empty part, without overlaps. */
export function positionsOf(budget: Budget, text: string, part: string): number[] {
  const search = new TextSearch(budget, text, part)
  const found: number[] = []
  for (let at = search.next(0); at >= 0; at = search.next(at + part.length)) {
    budget.create(8)
    found.push(at)
  }
  return found
}
