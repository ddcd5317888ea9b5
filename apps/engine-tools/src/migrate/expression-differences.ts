import { type Call, constantOf, type Expression, type Field, print, printPath, walk } from '@engine/expression'
import type { PlacedExpression } from './expressions.ts'
import type { Difference } from './finding.ts'
import { conditionWithout, fieldsRead, valueWithout } from './missing-fields.ts'

/** `config.field_missing` of the ruleset. */
export type Mode = 'lenient' | 'strict' | 'default'

/** A difference at a node of an expression. */
export interface NodeDifference {
  readonly node: Expression
  readonly difference: Difference
}

/** Where an expression means something else here than at the origin of the specification. */
export function differencesIn(placed: PlacedExpression, mode: Mode): readonly NodeDifference[] {
  const found: NodeDifference[] = []
  const add = (node: Expression, difference: Difference | undefined) => {
    if (difference !== undefined) found.push({ node, difference })
  }
  if (mode !== 'strict') for (const field of fieldsRead(placed.expression).values()) add(field, missing(placed, field))
  walk(placed.expression, (node) => {
    if (node.kind === 'field') add(node, dataPrefix(node))
    else if (node.kind === 'binary') add(node, ofOperator(placed, node))
    else if (node.kind === 'call') {
      add(node, ofFunction(node))
      if (mode === 'strict') add(node, strictTest(node))
    }
  })
  return found
}

function missing({ role, expression, text }: PlacedExpression, field: Field): Difference | undefined {
  const path = printPath(field)
  const here = `a missing \`${path}\` is null`
  switch (role) {
    case 'binding':
      return undefined
    case 'condition': {
      const effect = conditionWithout(expression, field)
      if (effect === 'same') return undefined
      return {
        code: 'missing-in-condition',
        effect,
        there: `the whole condition is false when \`${path}\` is missing`,
        here: effect === 'fails' ? `${here}, and the execution fails` : `${here}, and the condition can be true`,
        write: `exists(${path}) && (${text})`,
      }
    }
    case 'value':
      if (valueWithout(expression, field) === 'same') return undefined
      return {
        code: 'missing-in-value',
        effect: 'silent',
        there: `the execution fails when \`${path}\` is missing`,
        here,
        write: `a decision on \`exists(${path})\` before this step, or \`"field_missing": "strict"\``,
      }
  }
}

/** The origin knows no other first name for the input. */
function dataPrefix(field: Field): Difference | undefined {
  const [first, ...rest] = field.path
  if (first?.kind !== 'name' || first.name !== 'data') return undefined
  const root = printPath({ ...field, path: rest })
  return {
    code: 'data-prefix',
    effect: 'silent',
    there: `\`data\` is the input itself: \`${root}\``,
    here: 'a field of the input that is called `data`',
    write: root,
  }
}

function ofOperator(placed: PlacedExpression, node: Expression & { kind: 'binary' }): Difference | undefined {
  switch (node.operator) {
    case '/':
      return division(placed, node)
    case '==':
    case '!=': {
      const literal = [node.left, node.right].find((side) => isFraction(placed, side) && isWhole(side))
      if (literal === undefined) return undefined
      return {
        code: 'float-equality',
        effect: 'silent',
        there: `\`${written(placed, literal)}\` equals only numbers that are written with a fraction`,
        here: 'numbers are equal by value',
        write: 'nothing, if the value is meant',
      }
    }
    default:
      return undefined
  }
}

function division(placed: PlacedExpression, { left, right }: Expression & { kind: 'binary' }): Difference | undefined {
  if (isFraction(placed, left) || isFraction(placed, right)) return undefined
  const [dividend, divisor] = [constantOf(left), constantOf(right)]
  if (typeof dividend === 'number' && typeof divisor === 'number' && Number.isInteger(dividend / divisor))
    return undefined
  return {
    code: 'integer-division',
    effect: 'silent',
    there: 'of two integers the quotient is cut to an integer: `7 / 2` is 3',
    here: 'a quotient keeps its fraction: `7 / 2` is 3.5',
    write: `to_int(${print(left)} / ${print(right)})`,
  }
}

/** A number literal that is written as no integer. */
function isFraction(placed: PlacedExpression, node: Expression): boolean {
  if (node.kind !== 'literal' || typeof node.value !== 'number') return false
  return !Number.isInteger(node.value) || (placed.isText && /[.eE]/.test(written(placed, node)))
}

function isWhole(node: Expression): boolean {
  return node.kind === 'literal' && Number.isInteger(node.value)
}

function written({ text }: PlacedExpression, { span }: Expression): string {
  return text.slice(span.start, span.end)
}

function strictTest(node: Call): Difference | undefined {
  const [argument] = node.args
  if (!node.name.startsWith('is_') || argument?.kind !== 'field') return undefined
  const path = printPath(argument)
  return {
    code: 'missing-in-test',
    effect: 'silent',
    there: `the execution fails when \`${path}\` is missing`,
    here: node.name === 'is_null' ? 'true when it is missing' : 'the execution fails too, but for `is_null`',
    write: `exists(${path}) && ${print(node)}`,
  }
}

type OfCall = (node: Call) => Difference | undefined

const text = (node: Call, index: number) => (node.args[index] === undefined ? '' : print(node.args[index]))

const isNegative = (node: Call) =>
  node.args.slice(1).some((argument) => {
    const value = constantOf(argument)
    return (typeof value === 'number' && value < 0) || (argument.kind === 'unary' && argument.operator === '-')
  })

/** Lengths and positions of text: the origin counts bytes for some functions and characters for others. */
function units(there: string): OfCall {
  return () => ({
    code: 'text-units',
    effect: 'silent',
    there,
    here: 'UTF-16 units: the same for ASCII, not for other text',
    write: 'nothing, if the text is ASCII',
  })
}

function negative(node: Call): Difference | undefined {
  if (!isNegative(node)) return undefined
  return {
    code: 'negative-position',
    effect: 'silent',
    there: 'a negative position is beyond the end',
    here: 'a negative position counts from the end',
    write: 'a position that is not negative',
  }
}

const firstOf =
  (...rules: readonly OfCall[]): OfCall =>
  (node) => {
    for (const rule of rules) {
      const found = rule(node)
      if (found !== undefined) return found
    }
    return undefined
  }

/** Functions that exist at both and mean something else, and those that exist only there. */
const FUNCTION_DIFFERENCES: Readonly<Record<string, OfCall>> = {
  now: () => ({
    code: 'now',
    effect: 'silent',
    there: 'whole seconds since 1970, read at each call',
    here: 'ISO 8601 text, the same throughout an execution',
    write: 'to_int(now_millis() / 1000)',
  }),
  date_add: (node) => ({
    code: 'seconds',
    effect: 'silent',
    there: 'a time and its result are whole seconds since 1970',
    here: 'a number is milliseconds, the result ISO 8601 text',
    write: `parse_time(date_add((${text(node, 0)}) * 1000, ${text(node, 1)}, ${text(node, 2)}), "%FT%T.%fZ")`,
  }),
  day_of_week: (node) => ({
    code: 'seconds',
    effect: 'silent',
    there: 'a time is whole seconds since 1970',
    here: 'a number is milliseconds since 1970',
    write: `day_of_week((${text(node, 0)}) * 1000)`,
  }),
  to_string: (node) => ({
    code: 'to-string',
    effect: 'silent',
    there: 'a text comes with quotes around it',
    here: 'a text comes as it is',
    write: `json_marshal(${text(node, 0)})`,
  }),
  type: () => ({
    code: 'type-names',
    effect: 'silent',
    there: '`null bool int float string array object`',
    here: '`null boolean number string array object`',
    write: '`is_number`, `is_bool` and the like, or the names of here',
  }),
  avg: (node) => ({
    code: 'empty-average',
    effect: 'silent',
    there: '0.0 of an empty list',
    here: 'null of an empty list',
    write: `coalesce(${print(node)}, 0)`,
  }),
  min: oneArgument,
  max: oneArgument,
  len: units('bytes of a text'),
  index_of: units('bytes before the part'),
  pad_left: units('a width in bytes'),
  pad_right: units('a width in bytes'),
  substring: firstOf(negative, units('whole characters')),
  char_at: firstOf(negative, units('whole characters')),
  slice: negative,
  split: (node) => {
    if (node.args[1] === undefined || constantOf(node.args[1]) !== '') return undefined
    return {
      code: 'empty-separator',
      effect: 'silent',
      there: 'an empty text at both ends, and the characters between them',
      here: 'the characters',
      write: `array_concat([""], ${print(node)}, [""])`,
    }
  },
  coalesce: (node) => {
    const unguarded = node.args.find((argument) => argument.kind !== 'field' && fieldsRead(argument).size > 0)
    if (unguarded === undefined) return undefined
    return {
      code: 'coalesce-of-expression',
      effect: 'fails',
      there: `a field that is missing within \`${print(unguarded)}\` counts as null`,
      here: 'only paths do: a function or an operator that needs a value fails',
      write: `if ${[...fieldsRead(unguarded).keys()].map((path) => `exists(${path})`).join(' && ')} then ${print(unguarded)} else …`,
    }
  },
  uuid_v4: () => ({
    code: 'no-such-function',
    effect: 'fails',
    there: 'a random identifier',
    here: 'there is none: a decision can be repeated',
    write: 'an identifier in the input',
  }),
  yaml_marshal: yaml,
  yaml_unmarshal: yaml,
}

function oneArgument(node: Call): Difference | undefined {
  if (node.args.length !== 1) return undefined
  return {
    code: 'one-argument',
    effect: 'silent',
    there: 'a list alone is given back as it is',
    here: 'of a list the smallest or largest element',
    write: text(node, 0),
  }
}

function yaml(node: Call): Difference {
  return {
    code: 'no-such-function',
    effect: 'fails',
    there: 'YAML text',
    here: 'there is none',
    write: `${node.name.replace('yaml', 'json')}(${text(node, 0)}), with JSON`,
  }
}

function ofFunction(node: Call): Difference | undefined {
  return Object.hasOwn(FUNCTION_DIFFERENCES, node.name) ? FUNCTION_DIFFERENCES[node.name]?.(node) : undefined
}
