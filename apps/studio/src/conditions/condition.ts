import {
  type Binary,
  type Call,
  type Expression,
  isNumber,
  isOperatorOf,
  mirrored,
  parseAs,
  print,
  type Span,
} from '@engine/expression'

/** The comparison of a row. */
export type Operator =
  | 'is'
  | 'is-not'
  | 'less'
  | 'at-most'
  | 'more'
  | 'at-least'
  | 'between'
  | 'one-of'
  | 'none-of'
  | 'unknown'
  | 'known'
  | 'contains'
  | 'starts'
  | 'ends'

/** The left side of a row: a field or variable, the number of items of one, or an arithmetic expression. */
export interface Subject {
  readonly kind: 'field' | 'count' | 'code'
  readonly text: string
}

/** A value of a row: a literal, or another field or variable. */
export interface Operand {
  readonly kind: 'text' | 'number' | 'boolean' | 'field'
  /** Its expression text. */
  readonly text: string
}

export interface Comparison {
  readonly kind: 'comparison'
  readonly subject: Subject
  readonly operator: Operator
  /** Two for `between`, any number for `one-of` and `none-of`, none for `known` and `unknown`, otherwise one. */
  readonly operands: readonly Operand[]
  /** Written as `field` or `!field`, without a comparison. */
  readonly isBare?: boolean
}

/** A part of a condition that rows cannot show. */
export interface Code {
  readonly kind: 'code'
  readonly text: string
}

/** Rows with the other joiner; groups are not nested. */
interface Group {
  readonly kind: 'group'
  readonly joiner: Joiner
  readonly rows: readonly Placed<Comparison | Code>[]
}

export type Joiner = 'and' | 'or'
export type Row = Comparison | Code | Group
/** A row with its span in the text; undefined if it is not yet in the text. */
type Placed<R> = R & { readonly span?: Span }

/** A condition as rows with one joiner. A condition without rows is always true. */
export interface Condition {
  readonly joiner: Joiner
  readonly rows: readonly Placed<Row>[]
}

/**
 * The only function that the parser must know, because `contains` is also an operator. Other functions are parsed
 * without their definitions; the worker checks their calls.
 */
const FUNCTIONS = new Map([['contains', {}]])

const parsed = (text: string): Expression | undefined => {
  const found = parseAs('expression', text, { functions: FUNCTIONS, locals: [], numbers: 'exact' })
  return found.kind === 'parsed' ? found.expression : undefined
}

/** The rows of a condition; undefined if it cannot be parsed. Linear in the length of the text. */
export function readCondition(text: string): Condition | undefined {
  const expression = parsed(text)
  if (expression === undefined) return undefined
  if (expression.kind === 'literal' && expression.value === true) return { joiner: 'and', rows: [] }
  const sign = isLogic(expression) ? expression.operator : '&&'
  const joiner = sign === '||' ? 'or' : 'and'
  const rows = operandsOf(expression, sign).map((one) => rowOf(one, sign, text))
  return { joiner, rows: joiner === 'and' ? withRanges(rows) : rows }
}

type Logic = Binary & { readonly operator: '&&' | '||' }

const isLogic = (node: Expression): node is Logic =>
  node.kind === 'binary' && (node.operator === '&&' || node.operator === '||')

/** The operands of a chain of one operator, in order. */
function operandsOf(expression: Expression, sign: '&&' | '||'): readonly Expression[] {
  const found: Expression[] = []
  const waiting = [expression]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.kind === 'binary' && node.operator === sign) waiting.push(node.right, node.left)
    else found.push(node)
  }
  return found
}

function rowOf(node: Expression, outer: '&&' | '||', text: string): Placed<Row> {
  const { span } = node
  if (!isLogic(node) || node.operator === outer) return atomOf(node, text)
  const inner = operandsOf(node, node.operator)
  if (inner.some(isLogic)) return codeOf(node, text)
  const joiner = node.operator === '||' ? 'or' : 'and'
  const rows = inner.map((one) => atomOf(one, text))
  return { kind: 'group', joiner, rows: joiner === 'and' ? withRanges(rows) : rows, span }
}

/** True if the expression binds no tighter than the joiners and needs parentheses between them. */
const isLoose = (node: Expression): boolean => node.kind === 'conditional' || isLogic(node) || node.kind === 'lambda'

function codeOf(node: Expression, text: string): Placed<Code> {
  const own = textOf(node, text)
  return { kind: 'code', text: isLoose(node) ? `(${own})` : own, span: node.span }
}

function atomOf(node: Expression, text: string): Placed<Comparison | Code> {
  const found = comparisonOf(node, text)
  return found === undefined ? codeOf(node, text) : { kind: 'comparison', ...found, span: node.span }
}

type Parts = Omit<Comparison, 'kind'>

function comparisonOf(node: Expression, text: string): Parts | undefined {
  switch (node.kind) {
    case 'field':
    case 'variable':
      return bare(node, 'true', text)
    case 'unary': {
      if (node.operator !== '!') return undefined
      const { operand } = node
      if (operand.kind === 'call') return nullTest(operand, 'known', text)
      return bare(operand, 'false', text)
    }
    case 'call':
      return nullTest(node, 'unknown', text) ?? textTest(node, text)
    case 'binary':
      return ofBinary(node, text)
    default:
      return undefined
  }
}

function bare(node: Expression, value: 'true' | 'false', text: string): Parts | undefined {
  const subject = fieldOf(node, text)
  return subject && { subject, operator: 'is', operands: [{ kind: 'boolean', text: value }], isBare: true }
}

function nullTest({ name, args }: Call, operator: 'known' | 'unknown', text: string): Parts | undefined {
  const [first] = args
  if (name !== 'is_null' || first === undefined || args.length !== 1) return undefined
  const subject = fieldOf(first, text)
  return subject && { subject, operator, operands: [] }
}

const TEXT_TESTS: Readonly<Record<string, Operator>> = {
  contains: 'contains',
  starts_with: 'starts',
  ends_with: 'ends',
}

function textTest({ name, args }: Call, text: string): Parts | undefined {
  const [first, second] = args
  const operator = Object.hasOwn(TEXT_TESTS, name) ? TEXT_TESTS[name] : undefined
  if (operator === undefined || first === undefined || second === undefined || args.length !== 2) return undefined
  return compared(fieldOf(first, text), operator, literalOf(second, text))
}

const compared = (subject: Subject | undefined, operator: Operator, operand: Operand | undefined): Parts | undefined =>
  subject && operand && { subject, operator, operands: [operand] }

const COMPARISONS = {
  '==': 'is',
  '!=': 'is-not',
  '<': 'less',
  '<=': 'at-most',
  '>': 'more',
  '>=': 'at-least',
} as const satisfies Partial<Record<Binary['operator'], Operator>>

function ofBinary(node: Binary, text: string): Parts | undefined {
  const { operator, left, right } = node
  if (operator === 'contains') return compared(fieldOf(left, text), 'contains', literalOf(right, text))
  if (operator === 'in' || operator === 'not in') {
    const subject = fieldOf(left, text)
    if (subject === undefined || right.kind !== 'array' || right.items.length === 0) return undefined
    const operands = right.items.map((item) => literalOf(item, text))
    if (!operands.every((one) => one !== undefined)) return undefined
    return { subject, operator: operator === 'in' ? 'one-of' : 'none-of', operands }
  }
  if (!isOperatorOf('equality', operator) && !isOperatorOf('order', operator)) return undefined
  const straight = compared(subjectOf(left, text), COMPARISONS[operator], operandOf(right, text))
  if (straight !== undefined) return straight
  return compared(subjectOf(right, text), COMPARISONS[mirrored(operator)], literalOf(left, text))
}

const sliceOf = ({ span }: Expression, text: string) => text.slice(span.start, span.end)

/** The text of a node, or its canonical text if its span splits brackets, as in `(a + b) * c`. */
function textOf(node: Expression, text: string): string {
  const own = sliceOf(node, text)
  const found = parsed(own)
  return found !== undefined && print(found) === print(node) ? own : print(node)
}

function fieldOf(node: Expression, text: string): Subject | undefined {
  if (node.kind !== 'field' && node.kind !== 'variable') return undefined
  return node.path.some(({ kind }) => kind === 'wildcard') || (node.kind === 'field' && node.path.length === 0)
    ? undefined
    : { kind: 'field', text: sliceOf(node, text) }
}

function subjectOf(node: Expression, text: string): Subject | undefined {
  if (node.kind === 'call' && node.name === 'count' && node.args.length === 1 && node.args[0] !== undefined) {
    const counted = fieldOf(node.args[0], text)
    return counted && { kind: 'count', text: counted.text }
  }
  if (node.kind === 'binary' && isOperatorOf('arithmetic', node.operator))
    return { kind: 'code', text: textOf(node, text) }
  return fieldOf(node, text)
}

function literalOf(node: Expression, text: string): Operand | undefined {
  if (node.kind !== 'literal') return undefined
  const { value } = node
  const own = sliceOf(node, text)
  if (typeof value === 'string') return { kind: 'text', text: own }
  if (typeof value === 'boolean') return { kind: 'boolean', text: own }
  return isNumber(value) ? { kind: 'number', text: own } : undefined
}

function operandOf(node: Expression, text: string): Operand | undefined {
  const field = fieldOf(node, text)
  return field === undefined ? literalOf(node, text) : { kind: 'field', text: field.text }
}

/** Merges adjacent rows `a <= field && field <= b` into one. */
function withRanges<R extends Placed<Row>>(
  rows: readonly (R | Placed<Comparison>)[],
): readonly (R | Placed<Comparison>)[] {
  const found: (R | Placed<Comparison>)[] = []
  for (const row of rows) {
    const last = found.at(-1)
    const range = last === undefined ? undefined : rangeOf(last, row)
    if (range === undefined) found.push(row)
    else found.splice(-1, 1, range)
  }
  return found
}

function rangeOf(low: Placed<Row>, high: Placed<Row>): Placed<Comparison> | undefined {
  if (low.kind !== 'comparison' || high.kind !== 'comparison') return undefined
  const isRange = low.operator === 'at-least' && high.operator === 'at-most' && low.subject.text === high.subject.text
  if (!isRange || low.subject.kind !== high.subject.kind) return undefined
  return {
    kind: 'comparison',
    subject: low.subject,
    operator: 'between',
    operands: [...low.operands, ...high.operands],
    ...(low.span !== undefined && high.span !== undefined && { span: { start: low.span.start, end: high.span.end } }),
  }
}

const SIGNS = {
  is: '==',
  'is-not': '!=',
  less: '<',
  'at-most': '<=',
  more: '>',
  'at-least': '>=',
  contains: 'contains',
} as const

/** The text of a row. */
function writeRow(row: Row): string {
  if (row.kind === 'code') return row.text
  if (row.kind === 'group') return `(${row.rows.map(writeRow).join(row.joiner === 'and' ? ' && ' : ' || ')})`
  const { subject, operator, operands, isBare } = row
  const left = subject.kind === 'count' ? `count(${subject.text})` : subject.text
  const [first = { kind: 'text', text: '""' }, second = first] = operands
  switch (operator) {
    case 'between':
      return `${left} >= ${first.text} && ${left} <= ${second.text}`
    case 'one-of':
    case 'none-of':
      return `${left} ${operator === 'one-of' ? 'in' : 'not in'} [${operands.map(({ text }) => text).join(', ')}]`
    case 'unknown':
      return `is_null(${left})`
    case 'known':
      return `!is_null(${left})`
    case 'starts':
      return `starts_with(${left}, ${first.text})`
    case 'ends':
      return `ends_with(${left}, ${first.text})`
    default:
      if (isBare === true && operator === 'is' && first.kind === 'boolean')
        return first.text === 'true' ? left : `!${left}`
      return `${left} ${SIGNS[operator]} ${first.text}`
  }
}

/** The canonical text of a condition. @internal */
export function writeCondition({ joiner, rows }: Condition): string {
  if (rows.length === 0) return 'true'
  const isRange = (row: Row) => row.kind === 'comparison' && row.operator === 'between'
  return rows
    .map((row) => (joiner === 'or' && isRange(row) ? `(${writeRow(row)})` : writeRow(row)))
    .join(joiner === 'and' ? ' && ' : ' || ')
}

/** The position of a row: its index, and the index within its group. */
export type At = readonly [index: number, inner?: number]

/**
 * Replaces a row, or removes it. The surrounding text keeps its white space, brackets and order. If replacing the row
 * in place would change the meaning, the result is the canonical text.
 */
export function changeRow(text: string, at: At, row: Row | undefined): string {
  const condition = readCondition(text)
  if (condition === undefined) return text
  const [rows, index] = rowsAt(condition, at)
  const before = rows[index]
  const isUnchanged = row !== undefined && before !== undefined && sameMeaning(row, before)
  if (before === undefined || isUnchanged) return text
  const wanted = withRow(condition, at, row)
  const written = writeCondition(wanted)
  const kept = row === undefined ? withoutSpan(text, condition, at) : withSpan(text, condition, at, row)
  return kept !== undefined && isSame(kept, written) ? kept : written
}

/** Adds a row at the end. */
export function addRow(text: string, row: Row, joiner: Joiner): string {
  const condition = text.trim() === '' ? NONE : readCondition(text)
  if (condition === undefined) return text
  const { rows } = condition
  const own = rows.length > 1 ? condition.joiner : joiner
  const written = writeCondition({ joiner: own, rows: [...rows, row] })
  const kept = `${text.trimEnd()} ${own === 'and' ? '&&' : '||'} ${writeRow(row)}`
  return rows.length > 0 && isSame(kept, written) ? kept : written
}

const NONE: Condition = { joiner: 'and', rows: [] }

/** Switches to the other joiner. Groups of that word become rows. */
export function changeJoiner(text: string, joiner: Joiner): string {
  const condition = readCondition(text)
  if (condition === undefined || condition.rows.length < 2 || condition.joiner === joiner) return text
  const rows = condition.rows.flatMap((row): readonly Placed<Row>[] =>
    row.kind === 'group' && row.joiner === joiner ? row.rows : [row],
  )
  return writeCondition({ joiner, rows })
}

function withRow({ joiner, rows }: Condition, [index, inner]: At, row: Row | undefined): Condition {
  const group = rows[index]
  if (inner === undefined || group?.kind !== 'group') return { joiner, rows: replaced(rows, index, row) }
  const left = replaced<Placed<Comparison | Code>>(group.rows, inner, row as Comparison | Code | undefined)
  const next: Group | undefined = left.length === 0 ? undefined : { ...group, rows: left }
  return { joiner, rows: replaced<Placed<Row>>(rows, index, next) }
}

const replaced = <R>(list: readonly R[], at: number, one: R | undefined): readonly R[] =>
  one === undefined ? list.toSpliced(at, 1) : list.with(at, one)

const rowsAt = ({ rows }: Condition, [index, inner]: At): readonly [readonly Placed<Row>[], number] => {
  const group = rows[index]
  return inner !== undefined && group?.kind === 'group' ? [group.rows, inner] : [rows, index]
}

function withSpan(text: string, condition: Condition, at: At, row: Row): string | undefined {
  const [rows, index] = rowsAt(condition, at)
  const span = rows[index]?.span
  return span && text.slice(0, span.start) + writeRow(row) + text.slice(span.end)
}

/** Removes a row with the operator before it, or with the one after it. */
function withoutSpan(text: string, condition: Condition, at: At): string | undefined {
  const [rows, index] = rowsAt(condition, at)
  const span = rows[index]?.span
  if (span === undefined || rows.length < 2) return undefined
  const [before, next] = [rows[index - 1]?.span, rows[index + 1]?.span]
  if (before !== undefined) return text.slice(0, before.end) + text.slice(span.end)
  return next && text.slice(0, span.start) + text.slice(next.start)
}

/** Whether two texts have the same rows. */
function isSame(left: string, right: string): boolean {
  const [one, other] = [readCondition(left), readCondition(right)]
  return one !== undefined && other !== undefined && signature(one) === signature(other)
}

/** The rows of a condition, regardless of spelling. */
const signature = ({ joiner, rows }: Condition): string =>
  JSON.stringify([rows.length > 1 ? joiner : '', rows.map(meaning)])

const sameMeaning = (left: Row, right: Row) => JSON.stringify(meaning(left)) === JSON.stringify(meaning(right))

function meaning(row: Row): unknown {
  if (row.kind === 'group') return [row.joiner, row.rows.map(meaning)]
  const canonical = (text: string) => {
    const found = parsed(text)
    return found === undefined ? text : print(found)
  }
  if (row.kind === 'code') return canonical(row.text)
  const { subject, operator, operands, isBare = false } = row
  // `field == true` is false for any value but true; a bare `field` is not.
  return [subject.kind, canonical(subject.text), operator, operands.map(({ text }) => canonical(text)), isBare]
}
