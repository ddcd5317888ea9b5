import type { Value } from '@engine/expression'
import { type NumberKind, numberKind } from './number-literal.ts'
import type { ParameterCasts } from './dialect.ts'

/**
 * Collects the placeholder values of one condition. While the condition is built, each placeholder is its number
 * between two NUL characters, which no SQL name or text can contain. `render` replaces them, and fails when one is
 * missing, repeated or out of order: a client library would assign the values to the wrong placeholders.
 */
export class SqlParameters {
  readonly #placeholder: (index: number) => string
  readonly #casts: ParameterCasts
  readonly #values: Value[] = []

  constructor(dialect: { readonly placeholder: (index: number) => string; readonly casts: ParameterCasts }) {
    this.#placeholder = dialect.placeholder
    this.#casts = dialect.casts
  }

  text(value: string): string {
    return this.#mark(value)
  }

  /** A number, cast where the placeholder's type would differ from the type of the literal. */
  number(value: number | bigint): string {
    const kind = numberKind(value)
    const type = this.#casts[kind]
    if (type === undefined) return this.#mark(value)
    // Many JSON parsers and client libraries round or reject integers beyond 2^53.
    return `CAST(${this.#mark(isLarge(kind) ? String(value) : value)} AS ${type})`
  }

  #mark(value: Value): string {
    this.#values.push(value)
    return `\0${this.#values.length}\0`
  }

  /** The condition with the dialect's placeholders, and their values in the same order. */
  render(text: string): { readonly text: string; readonly params: readonly Value[] } {
    let count = 0
    const rendered = text.replaceAll(/\0(\d+)\0/g, (_mark, number: string) => {
      count++
      if (Number(number) !== count)
        throw new Error(`placeholder ${count} of a filter would get the value of placeholder ${number}`)
      return this.#placeholder(count)
    })
    if (count !== this.#values.length)
      throw new Error(`a filter has ${count} placeholders for ${this.#values.length} values`)
    return { text: rendered, params: this.#values }
  }
}

function isLarge(kind: NumberKind): boolean {
  return kind !== 'integer' && kind !== 'fraction'
}
