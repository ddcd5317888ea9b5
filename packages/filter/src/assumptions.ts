import { quote, type Value } from '@engine/expression'
import type { ColumnType, FieldTypes } from './column-types.ts'
import { isOrder } from './operations.ts'
import { fieldsOf, type Leaf, type Test } from './predicate.ts'
import { type DialectName, DIALECTS } from './dialect.ts'

/** The target language of a filter. */
export interface Target {
  readonly format: 'sql' | 'json' | 'mongo'
  readonly dialect: DialectName
  readonly types: FieldTypes
}

/**
 * Reasons why the rows of a filter depend on more than the rules: too many and too few rows are both possible. A
 * request that states column types leaves fewer of them open.
 */
export function assumptions(leaves: readonly Leaf[], target: Target): readonly string[] {
  const found = new Set<string>()
  const { types } = target
  for (const leaf of leaves) {
    for (const path of fieldsOf(leaf)) {
      const kinds = types.conflict(path)
      if (kinds.length > 0)
        found.add(`${quote(path)} is compared with ${kinds.join(' and ')}: a column has one type (\`columns\`)`)
    }
    if (leaf.kind === 'test') addIfAny(found, ofTest(leaf.path, leaf.test, target))
    if (leaf.kind === 'compare') addIfAny(found, ofColumns(leaf, target))
  }
  return [...found].sort()
}

function addIfAny(found: Set<string>, reason: string | undefined): void {
  if (reason !== undefined) found.add(reason)
}

function ofTest(path: string, test: Test, { format, dialect, types }: Target): string | undefined {
  const values = 'values' in test ? test.values : [test.value]
  if (format === 'sql' && types.of(path) === undefined && values.some(isBeyondDoubles))
    return `${quote(path)} is compared with a number beyond 2^53: whether a column holds it depends on its type (\`columns\`)`
  if (format === 'sql' && DIALECTS[dialect].comparesTypes && types.of(path) === undefined && values.some(mayBeNumber))
    return comparedAsNumbers(quote(path))
  const [text] = values
  if (!isOrder(test.op) || typeof text !== 'string' || format === 'json') return undefined
  if (format === 'sql' && DIALECTS[dialect].ordersByCollation)
    return `the order of texts in ${quote(path)} is that of the column's collation (\`dialect\`)`
  // The two orders differ when a character beyond U+FFFF is compared with one from U+E000 on.
  return /[\ud800-\uffff]/.test(text) ? codePoints(quote(path)) : undefined
}

function ofColumns({ op, left, right }: Leaf & { kind: 'compare' }, { dialect, types }: Target): string | undefined {
  const [one, other] = [types.of(left), types.of(right)]
  if (isExact(one) && other === 'number')
    return `${quote(left)} and ${quote(right)} are compared as doubles: ${LOST[one]} lose digits`
  if (isExact(other) && one === 'number')
    return `${quote(right)} and ${quote(left)} are compared as doubles: ${LOST[other]} lose digits`
  if (DIALECTS[dialect].comparesTypes && (one === undefined || other === undefined))
    return comparedAsNumbers(`${quote(left)} and ${quote(right)}`)
  if (!isOrder(op)) return undefined
  if (one === undefined || other === undefined)
    return `${quote(left)} and ${quote(right)}, should they be texts, are compared in the order of the database (\`columns\`)`
  if (one !== 'text') return undefined
  if (DIALECTS[dialect].ordersByCollation)
    return `the order of texts in ${quote(left)} and ${quote(right)} is that of the columns' collation (\`dialect\`)`
  return codePoints(`${quote(left)} and ${quote(right)}`)
}

const LOST = { integer: 'integers beyond 2^53', decimal: 'decimals of more than 15 digits' } as const

function isExact(type: ColumnType | undefined): type is keyof typeof LOST {
  return type === 'integer' || type === 'decimal'
}

function codePoints(paths: string): string {
  return `the database orders the texts in ${paths} by code points, the rules by UTF-16 units: the two differ beyond U+FFFF`
}

function isBeyondDoubles(value: unknown): boolean {
  return typeof value === 'bigint' || (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
}

function comparedAsNumbers(paths: string): string {
  return `the type of ${paths} is not stated: the database compares a text with a number as numbers, so \`'abc' = 0\` is true (\`columns\`)`
}

/**
 * Whether a database that compares texts and numbers as numbers could match the value, or a part of it, with a number.
 */
function mayBeNumber(value: Value): boolean {
  return typeof value !== 'string' || /^[-+.\deE]+$/.test(value)
}
