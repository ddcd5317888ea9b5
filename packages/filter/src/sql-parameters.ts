import type { Value } from '@engine/expression'
import { type NumberKind, numberKind } from './number-literal.ts'
import type { ParameterCasts } from './dialect.ts'

/**
 * The values of the placeholders of one condition. While the condition is written each placeholder is a mark with its
 * number between two NUL characters, which no name and no text of SQL can hold. `render` replaces the marks, and fails when
 * one is missing, repeated or out of order: a client library would assign the values to other placeholders.
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

  /** A number, cast where the database would give the placeholder another type than the number's literal has. */
  number(value: number | bigint): string {
    const kind = numberKind(value)
    const type = this.#casts[kind]
    if (type === undefined) return this.#mark(value)
    // Many JSON readers and client libraries round or refuse integers beyond 2^53.
    return `CAST(${this.#mark(isLarge(kind) ? String(value) : value)} AS ${type})`
  }

  #mark(value: Value): string {
    this.#values.push(value)
    return `\0${this.#values.length}\0`
  }

  /** The condition with the placeholders of the dialect, and their values in the same order. */
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
