import type { Binary, Expression, Field, Local, Segment, Variable } from './ast.ts'
import { numberText } from './json/writer.ts'
import { leftSpine } from './operator-table.ts'
import { isPlainName, KEYWORDS } from './token.ts'
import { isNumber, type Value } from './value.ts'

/**
 * The canonical text of an expression: fully parenthesised, with one spelling for everything. Parsing it yields the
 * same tree, apart from spans. Returned as `parsed` by `POST /eval` (specification 4.1).
 */
export function print(expression: Expression): string {
  return printIn(expression, NO_LOCALS)
}

/** The canonical text of a path, as used in messages and `config.defaults`: `a.b[0].*`, `$name.x`, `$["odd key"].b`. */
export function printPath(path: Field | Variable | Local): string {
  return printReference(path, NO_LOCALS)
}

/** Lambda parameters in scope; a field with such a name is printed as `$.name`. */
type Locals = ReadonlySet<string>

const NO_LOCALS: Locals = new Set()

function printIn(node: Expression, locals: Locals): string {
  const inner = (expression: Expression) => printIn(expression, locals)
  switch (node.kind) {
    case 'literal':
      return printValue(node.value)
    case 'field':
    case 'variable':
    case 'local':
      return printReference(node, locals)
    case 'member':
      return printObject(node.object, locals) + node.path.map(printSegment).join('')
    case 'array':
      return `[${node.items.map(inner).join(', ')}]`
    case 'object':
      return `{${node.entries.map(({ key, value }) => `${JSON.stringify(key)}: ${inner(value)}`).join(', ')}}`
    case 'unary':
      return `(${node.operator}${inner(node.operand)})`
    case 'binary':
      return printBinary(node, locals)
    case 'conditional':
      return `(if ${inner(node.condition)} then ${inner(node.consequent)} else ${inner(node.alternate)})`
    case 'call':
      return `${node.name}(${node.args.map(inner).join(', ')})`
    case 'lambda':
      return printLambda(node.parameters, node.body, locals)
  }
}

function printBinary(node: Binary, locals: Locals): string {
  const { spine, base } = leftSpine(node)
  const tail = spine.map(({ operator, right }) => ` ${operator} ${printIn(right, locals)})`)
  return '('.repeat(tail.length) + printIn(base, locals) + tail.toReversed().join('')
}

function printLambda(parameters: readonly string[], body: Expression, locals: Locals): string {
  const head = parameters.length === 1 ? parameters.join() : `(${parameters.join(', ')})`
  return `${head} => ${printIn(body, new Set([...locals, ...parameters]))}`
}

/** `5.a` would not parse as a number; every other expression can be followed by a path. */
function printObject(object: Expression, locals: Locals): string {
  const text = printIn(object, locals)
  return object.kind === 'literal' && isNumber(object.value) ? `(${text})` : text
}

function printReference(node: Field | Variable | Local, locals: Locals): string {
  if (node.kind !== 'field') return rootOf(node) + node.path.map(printSegment).join('')
  const [first] = node.path
  const bare = first?.kind === 'name' && isPlainName(first.name) && !KEYWORDS.has(first.name) && !locals.has(first.name)
  const rest = (bare ? node.path.slice(1) : node.path).map(printSegment).join('')
  return (bare ? first.name : '$') + rest
}

function rootOf(node: Variable | Local): string {
  return node.kind === 'variable' ? `$${node.name}` : node.name
}

function printSegment(segment: Segment): string {
  switch (segment.kind) {
    case 'name':
      return isPlainName(segment.name) ? `.${segment.name}` : `[${JSON.stringify(segment.name)}]`
    case 'index':
      return `[${segment.index}]`
    case 'wildcard':
      return '.*'
  }
}

function printValue(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (isNumber(value)) return Object.is(value, -0) ? '-0' : numberText(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map(printValue).join(', ')}]`
  const entries = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${printValue(member)}`)
  return `{${entries.join(', ')}}`
}
