import type { Span } from './source.ts'
import type { Value } from './value.ts'

/**
 * The abstract syntax tree of an expression. Immutable, discriminated by `kind`. Spans are ignored in comparisons: two
 * trees are equal if they print the same.
 */
export type Expression =
  | Literal
  | Field
  | Variable
  | Local
  | Member
  | ArrayLiteral
  | ObjectLiteral
  | Unary
  | Binary
  | Conditional
  | Call
  | Lambda

/** A constant: scalar, or (only after folding) an array or object. */
export interface Literal {
  readonly kind: 'literal'
  readonly value: Value
  readonly span: Span
}

/**
 * One hop of a path. A name reads an own property of an object and is missing on any other value. An index reads an
 * array element, counting from the end when negative; on an object, a non-negative index reads the property with that
 * decimal name. A wildcard iterates over the members of an array or object: the rest of the path applies to each
 * member, and all wildcards of a path produce one flat list.
 */
export type Segment =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'wildcard' }

/** A path into the input: `a.b`, `$.a.b`, `items[0].price`. The empty path (`$`) is the whole input. */
export interface Field {
  readonly kind: 'field'
  readonly path: readonly Segment[]
  readonly span: Span
}

/** A variable set by an action, and a path into it: `$name.a`. Never shadows the input, and is never shadowed by it. */
export interface Variable {
  readonly kind: 'variable'
  readonly name: string
  readonly path: readonly Segment[]
  readonly span: Span
}

/** A lambda parameter in the lambda's body, and a path into it. Shadows an input field of the same name. */
export interface Local {
  readonly kind: 'local'
  readonly name: string
  readonly path: readonly Segment[]
  readonly span: Span
}

/** A path into a computed value: `first(items).price`, `(a).b`. `object` is never a field, variable or local. */
export interface Member {
  readonly kind: 'member'
  readonly object: Expression
  readonly path: readonly Segment[]
  readonly span: Span
}

/** A list of expressions in brackets. */
export interface ArrayLiteral {
  readonly kind: 'array'
  readonly items: readonly Expression[]
  readonly span: Span
}

/** Keys are distinct (a repeated key is a syntax problem) and may be any text, `__proto__` included. */
export interface ObjectLiteral {
  readonly kind: 'object'
  readonly entries: readonly { readonly key: string; readonly value: Expression }[]
  readonly span: Span
}

/** Logical and arithmetic negation. */
export type UnaryOperator = '!' | '-'

/** An operator in front of its operand. */
export interface Unary {
  readonly kind: 'unary'
  readonly operator: UnaryOperator
  readonly operand: Expression
  readonly span: Span
}

/** Their levels are in `operator-table.ts`. */
export type BinaryOperator =
  | '||'
  | '&&'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'in'
  | 'not in'
  | 'contains'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'

/** An operator between two operands. `||` and `&&` evaluate the right one only when it decides. */
export interface Binary {
  readonly kind: 'binary'
  readonly operator: BinaryOperator
  readonly left: Expression
  readonly right: Expression
  /** From the start of `left` to the end of `right`. */
  readonly span: Span
  /** The operator's own characters. */
  readonly operatorSpan: Span
}

/** `condition ? consequent : alternate`; only the chosen branch is evaluated. */
export interface Conditional {
  readonly kind: 'conditional'
  readonly condition: Expression
  readonly consequent: Expression
  readonly alternate: Expression
  readonly span: Span
}

/** A call of a built-in by name; its `FunctionDefinition` defines how the arguments are evaluated. */
export interface Call {
  readonly kind: 'call'
  readonly name: string
  readonly args: readonly Expression[]
  readonly span: Span
  /** The function's name only. */
  readonly nameSpan: Span
  /** Constant arguments keep the meaning of an earlier version, which new expressions cannot have (`CheckOptions.tolerate`). */
  readonly isTolerated?: true
}

/** `x => body` or `(x, index) => body`; only as an argument of a call whose parameter takes one. */
export interface Lambda {
  readonly kind: 'lambda'
  readonly parameters: readonly string[]
  readonly body: Expression
  readonly span: Span
}
