import {
  type Call,
  constantOf,
  type Expression,
  print,
  printPath,
  quote,
  quoteCode,
  stringifyJson,
} from '@engine/expression'
import { portablePattern, type TextForms } from './function-forms.ts'
import { certain, inexpressible, type SqlContext } from './sql-context.ts'
import type { SqlNumbers } from './sql-numbers.ts'
import { settled, type SqlTruth, type SqlValue } from './sql-truth.ts'
import { Inexpressible } from './to-predicate.ts'

/** Text functions, and the texts of messages. */
export class SqlTexts {
  readonly #context: SqlContext
  readonly #numbers: SqlNumbers

  constructor(context: SqlContext, numbers: SqlNumbers) {
    this.#context = context
    this.#numbers = numbers
  }

  /** `to_string` of a text. Only in a message do numbers have the digits of the rules. */
  toText(node: Call): SqlValue {
    const [argument] = node.args
    if (argument === undefined) throw inexpressible(node)
    const value = this.#text(node, argument)
    if (!value.canBeNull) return value
    return { ...value, sql: `COALESCE(${value.sql}, 'null')`, type: 'text', canBeNull: false, ...failsOf(value) }
  }

  length(node: Call): SqlValue {
    const [argument] = node.args
    const forms = this.#forms(node)
    if (argument === undefined) throw inexpressible(node)
    const value = this.#text(node, argument)
    return { ...this.#numbers.ofInteger(forms.length(value.sql)), canFail: value.canBeNull || value.canFail }
  }

  /** `matches(text, pattern)`: false for null. */
  matched(node: Call, text: Expression, pattern: Expression): SqlTruth {
    const forms = this.#forms(node)
    const constant = constantOf(pattern)
    if (typeof constant !== 'string') throw inexpressible(node)
    const portable = portablePattern(constant)
    if (portable === undefined)
      throw new Inexpressible(
        `${quoteCode(print(node))} has a pattern that databases may read otherwise: use characters of ASCII, classes, groups, \`|\`, \`^\`, \`$\` and counts to 255`,
        print(node),
      )
    const value = this.#text(node, text)
    return settled(forms.matches(value.sql, this.#context.form.text(portable)), [value])
  }

  /** A value in a message: texts unchanged, others as JSON. */
  placed(node: Expression): SqlValue {
    const constant = constantOf(node)
    if (constant !== undefined)
      return certain(this.#context.form.text(typeof constant === 'string' ? constant : stringifyJson(constant)), 'text')
    const value = this.#context.value(node)
    const text = this.#placed(node, value)
    if (!value.canBeNull) return { ...value, sql: text, type: 'text' }
    return { ...value, sql: `COALESCE(${text}, 'null')`, type: 'text', canBeNull: false, ...failsOf(value) }
  }

  #placed(node: Expression, { sql, type }: SqlValue): string {
    if (type === 'text') return sql
    if (type === 'boolean') return `CASE WHEN ${sql} THEN 'true' WHEN NOT (${sql}) THEN 'false' END`
    const isDecimal = this.#context.policy.numbers === 'decimal'
    const text = isDecimal && type === 'number' ? this.#context.form.texts?.decimal?.(sql) : undefined
    if (text === undefined)
      throw new Inexpressible(`${quoteCode(print(node))} in a message cannot be written in SQL`, print(node))
    this.#context.assumptions.add('a message shows numbers from 1e21 on, and below 1e-6, without an exponent')
    return text
  }

  #text(node: Call, argument: Expression): SqlValue {
    const value = this.#context.value(argument)
    if (value.type !== 'text' && value.type !== 'unknown') throw inexpressible(node)
    if (value.type === 'unknown' && argument.kind === 'field')
      this.#context.assumptions.add(`${quote(printPath(argument))} is taken for a text (\`columns\`)`)
    this.#context.use(argument, 'text')
    return value
  }

  #forms(node: Call): TextForms {
    const { texts } = this.#context.form
    if (texts === undefined) throw inexpressible(node)
    return texts
  }
}

/** The failure condition of a value that was NULL for null or a failure, and is now a text. */
function failsOf({ sql, canFail, fails }: SqlValue): { readonly fails?: string } {
  return canFail ? { fails: fails ?? `${sql} IS NULL` } : {}
}
