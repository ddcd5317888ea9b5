import type { Feel, FeelTest, UnaryTests } from './ast.ts'
import { FeelFault } from './ast.ts'
import { isLiteral } from './parser.ts'
import type { FeelScope } from './scope.ts'
import { all, any, FeelWriter, type Written } from './write.ts'

/**
 * The input column cell equivalent to unary tests (platform contract 9.3). `field` is the path of the column. A negated
 * comparison is not true for null, by the standard's three-valued logic; a negated literal is.
 */
export function cellOf(field: string, tests: UnaryTests, scope: FeelScope): Pick<Written, 'text' | 'names'> {
  const writer = new FeelWriter(scope, field)
  return { text: cellText(field, tests, writer), names: writer.names }
}

function cellText(field: string, { isNegated, tests }: UnaryTests, writer: FeelWriter): string {
  if (tests.length === 0) return ''
  const values = tests.map(equalLiteral)
  const literals = values.flatMap((value) => (value === undefined ? [] : [writer.value(value)]))
  if (literals.length === tests.length) return listCell(literals, isNegated)
  const [only] = tests
  const plain = only !== undefined && tests.length === 1 && !isNegated ? plainCell(writer, only) : undefined
  if (plain !== undefined) return plain
  return isNegated
    ? `? ${all(tests.map((test) => writer.failedTest(field, checked(test))))}`
    : `? ${any(tests.map((test) => writer.test(field, checked(test))))}`
}

/** The literal of a test for equality. */
function equalLiteral(test: FeelTest): Feel | undefined {
  return test.kind === 'comparison' && test.operator === '=' && isLiteral(test.value) ? test.value : undefined
}

function listCell(literals: readonly string[], isNegated: boolean): string {
  const [only] = literals
  if (literals.length === 1 && only !== undefined) return isNegated ? `!= ${only}` : only
  return `${isNegated ? 'not in' : 'in'} [${literals.join(', ')}]`
}

/** A comparison with a literal, or an interval of literals. */
function plainCell(writer: FeelWriter, test: FeelTest): string | undefined {
  if (test.kind === 'comparison' && isLiteral(test.value)) return `${test.operator} ${writer.value(test.value)}`
  if (test.kind !== 'interval' || !isLiteral(test.low.value) || !isLiteral(test.high.value)) return undefined
  const { low, high } = checked(test)
  const [open, close] = [low.isIncluded ? '[' : '(', high.isIncluded ? ']' : ')']
  return `${open}${writer.value(low.value)}..${writer.value(high.value)}${close}`
}

/** Validates that an interval of literals has its lower bound first: otherwise no value, or every value, is inside. */
function checked<Test extends FeelTest>(test: Test): Test {
  if (test.kind !== 'interval') return test
  const [low, high] = [test.low.value, test.high.value]
  if (!isLiteral(low) || !isLiteral(high)) return test
  const isOrdered =
    low.kind === 'number' && high.kind === 'number'
      ? Number(low.text) <= Number(high.text)
      : textOf(low) <= textOf(high)
  if (low.kind !== high.kind || !isOrdered)
    throw new FeelFault('the bounds of an interval must be of one type, the lower one first')
  return test
}

const textOf = (feel: Feel) => (feel.kind === 'time' ? feel.text : feel.kind === 'literal' ? String(feel.value) : '')
