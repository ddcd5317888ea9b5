import type { Expression, Field, Local, Segment, Variable } from '../ast.ts'
import { JSON_DEPTH } from '../json/limits.ts'
import { OPERATORS, UNARY_OPERATORS } from '../operator-table.ts'
import { print, printPath } from '../printer.ts'
import type { Value } from '../value.ts'
import { children } from '../visitor.ts'

export { type FormProblem, fromJsonForm, type FromJsonForm } from './reader.ts'

/** Levels of JSON that a form may take, leaving room for the enclosing document within `JSON_DEPTH`. */
const FORM_DEPTH = JSON_DEPTH - 28

/** Maximum JSON levels from one form to a nested form: `{"Call": {"args": [` and `{"Object": [[key,`. */
const FORM_STEP = 3

/**
 * The JSON form of an expression; `fromJsonForm` of it prints the same. Parts nested too deeply for a JSON document (a
 * chain of many operators) are written as text, which is also a valid form.
 */
export function toJsonForm(expression: Expression): Value {
  return isDeep(expression) ? print(expression) : formIn(expression, [])
}

function isDeep(expression: Expression): boolean {
  const pending = [{ node: expression, depth: 0 }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const depth = next.depth + FORM_STEP
    if (depth > FORM_DEPTH) return true
    for (const node of children(next.node)) pending.push({ node, depth })
  }
  return false
}

/** `locals`: lambda parameters in scope, which shadow fields of the same name. */
function formIn(expression: Expression, locals: readonly string[]): Value {
  const form = (part: Expression) => formIn(part, locals)
  switch (expression.kind) {
    case 'literal':
      return { Literal: expression.value }
    case 'field':
    case 'variable':
    case 'local':
      return { Field: pathText(expression, locals) }
    case 'member':
      return { Member: { object: form(expression.object), path: expression.path.map(stepForm) } }
    case 'array':
      return { Array: expression.items.map(form) }
    case 'object':
      return { Object: expression.entries.map(({ key, value }) => [key, form(value)]) }
    case 'unary':
      return { Unary: { op: UNARY_OPERATORS[expression.operator].form, operand: form(expression.operand) } }
    case 'binary': {
      const { operator, left, right } = expression
      return { Binary: { op: OPERATORS[operator].form, left: form(left), right: form(right) } }
    }
    case 'conditional': {
      const { condition, consequent, alternate } = expression
      return {
        Conditional: { condition: form(condition), then_branch: form(consequent), else_branch: form(alternate) },
      }
    }
    case 'call':
      return { Call: { name: expression.name, args: expression.args.map(form) } }
    case 'lambda': {
      const { parameters, body } = expression
      return { Lambda: { params: parameters, body: formIn(body, [...locals, ...parameters]) } }
    }
  }
}

function pathText(path: Field | Variable | Local, locals: readonly string[]): string {
  const text = printPath(path)
  const [first] = path.path
  const isHidden = path.kind === 'field' && first?.kind === 'name' && locals.includes(first.name)
  return isHidden && !text.startsWith('$') ? `$.${text}` : text
}

function stepForm(segment: Segment): Value {
  switch (segment.kind) {
    case 'name':
      return segment.name
    case 'index':
      return segment.index
    case 'wildcard':
      return { wildcard: true }
  }
}
