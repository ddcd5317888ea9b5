import type { DecimalForms } from './decimal-forms.ts'
import { type DecisionDialectName, DIALECTS, type Dialect, identifier, requireNoNul, textLiteral } from './dialect.ts'
import type { DateForms, JsonForms, TextForms } from './function-forms.ts'
import type { TextTest } from './operations.ts'
import type { Arithmetic } from './sql-arithmetic.ts'

/** SQL forms used by decision queries. */
export interface SqlForm {
  text(value: string): string
  /** Convert to a double, so that arithmetic matches the rules. */
  double(sql: string): string
  /** A text as the right operand of an order comparison: compared by characters. */
  ordered(sql: string): string
  match(sql: string, test: TextTest, text: string): string
  identifier(name: string): string
  readonly arithmetic: Arithmetic
  readonly functions: ReadonlySet<string>
  readonly texts: TextForms | undefined
  readonly dates: DateForms | undefined
  readonly json: JsonForms | undefined
  readonly fence: string
  readonly decimals: DecimalForms | undefined
}

/** The forms of a dialect. */
export function sqlForm(name: DecisionDialectName): SqlForm {
  const dialect: Dialect = DIALECTS[name]
  const { decisions } = DIALECTS[name]
  const text = (value: string) => textLiteral(requireNoNul(value, ''), dialect)
  return {
    text,
    double: (sql) => `CAST(${sql} AS ${decisions.double})`,
    ordered: (sql) => sql + dialect.collation,
    match: (subject, test, part) => decisions.match({ test, isNegative: false, subject, part, text }),
    identifier: (written) => identifier(written, dialect),
    arithmetic: decisions.arithmetic,
    functions: decisions.functions,
    texts: decisions.texts,
    dates: decisions.dates,
    json: decisions.json,
    fence: decisions.fence,
    decimals: decisions.decimals,
  }
}
