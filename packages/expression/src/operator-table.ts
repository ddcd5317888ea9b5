import { tableKeys } from './table-keys.ts'
import type { Binary, BinaryOperator, Expression, UnaryOperator } from './ast.ts'
import { TYPE, type Type } from './types.ts'

/** Operators of one kind are checked, compiled and translated to databases in the same way. */
export type OperatorKind = 'logic' | 'equality' | 'order' | 'membership' | 'arithmetic'

/** Precedence of binary operators, loosest first. */
export const LEVEL = { or: 1, and: 2, comparison: 3, membership: 4, additive: 5, multiplicative: 6 } as const

/** A binary operator: everything except its function (`operators.ts`). */
export interface OperatorDefinition {
  readonly kind: OperatorKind
  readonly level: (typeof LEVEL)[keyof typeof LEVEL]
  /** Its name in the JSON form. */
  readonly form: string
  /** Alternative spellings of the operator. */
  readonly aliases?: readonly string[]
  /** The operator in other languages, symbols and lower-case words: for suggestions. */
  readonly foreign?: readonly string[]
  /** The operator that gives the same result with its operands swapped. */
  readonly mirrored?: BinaryOperator
  /** The operator whose truth it negates. */
  readonly negates?: BinaryOperator
  /** For `logic`: the truth of a left operand that decides the result; the right one is then not evaluated. */
  readonly decidedBy?: boolean
  /** For `membership`: the side that contains the other. */
  readonly container?: 'left' | 'right'
  /** It fails when the right side is 0. */
  readonly divides?: true
  /** Its work does not depend on the size of the operands. */
  readonly bounded?: true
  /** Whether operands of these types can succeed. */
  readonly accepts: (left: Type, right: Type) => boolean
  /** The result types. */
  readonly gives: (left: Type, right: Type) => Type
}

const { null: NULL, number: NUMBER, string: STRING, array: ARRAY, boolean: BOOLEAN } = TYPE

const anything = (): boolean => true
const boolean = (): Type => BOOLEAN

const LOGIC = { kind: 'logic', bounded: true, accepts: anything, gives: boolean } as const

const EQUALITY = { kind: 'equality', level: LEVEL.comparison, accepts: anything, gives: boolean } as const

/** Null on either side is false and not an error, so comparing a nullable value can succeed. */
const ORDER = {
  kind: 'order',
  level: LEVEL.comparison,
  bounded: true,
  accepts: (left: Type, right: Type) => ((left | right) & NULL) !== 0 || (left & right & (NUMBER | STRING)) !== 0,
  gives: boolean,
} as const

const ARITHMETIC = {
  kind: 'arithmetic',
  bounded: true,
  accepts: (left: Type, right: Type) => (left & right & NUMBER) !== 0,
  gives: () => NUMBER,
} as const

/** A null container contains nothing, and no string contains null. */
const holds = (item: Type, container: Type): boolean =>
  (container & (NULL | ARRAY)) !== 0 || (container & STRING & (item | nullAsString(item))) !== 0

const MEMBERSHIP = {
  kind: 'membership',
  level: LEVEL.membership,
  container: 'right',
  accepts: holds,
  gives: boolean,
} as const

function nullAsString(type: Type): Type {
  return (type & NULL) !== 0 ? STRING : 0
}

const ROWS = {
  '+': {
    kind: 'arithmetic',
    level: LEVEL.additive,
    form: 'Add',
    accepts: (left, right) => (left & right & (NUMBER | STRING)) !== 0,
    gives: (left, right) => left & right & (NUMBER | STRING),
  },
  '-': { ...ARITHMETIC, level: LEVEL.additive, form: 'Sub', foreign: ['−'] },
  '*': { ...ARITHMETIC, level: LEVEL.multiplicative, form: 'Mul', foreign: ['×'] },
  '/': { ...ARITHMETIC, level: LEVEL.multiplicative, form: 'Div', foreign: ['÷', 'div'], divides: true },
  '%': { ...ARITHMETIC, level: LEVEL.multiplicative, form: 'Mod', foreign: ['mod'], divides: true },
  '==': { ...EQUALITY, form: 'Eq', foreign: ['===', ':=', '=', 'is', 'equals', 'eq'], mirrored: '==' },
  '!=': { ...EQUALITY, form: 'Ne', foreign: ['!==', '<>', '≠', 'ne', 'xor'], mirrored: '!=', negates: '==' },
  '<': { ...ORDER, form: 'Lt', mirrored: '>' },
  '<=': { ...ORDER, form: 'Le', foreign: ['=<', '≤'], mirrored: '>=' },
  '>': { ...ORDER, form: 'Gt', mirrored: '<' },
  '>=': { ...ORDER, form: 'Ge', foreign: ['≥'], mirrored: '<=' },
  '&&': { ...LOGIC, level: LEVEL.and, form: 'And', aliases: ['and'], foreign: ['&&&', '&', '∧'], decidedBy: false },
  '||': { ...LOGIC, level: LEVEL.or, form: 'Or', aliases: ['or'], foreign: ['|||', '|', '∨'], decidedBy: true },
  in: { ...MEMBERSHIP, form: 'In', foreign: ['∈'] },
  'not in': { ...MEMBERSHIP, form: 'NotIn', foreign: ['∉'], negates: 'in' },
  contains: {
    ...MEMBERSHIP,
    form: 'Contains',
    foreign: ['has', 'includes'],
    container: 'left',
    accepts: (container, item) => holds(item, container),
  },
} as const satisfies Readonly<Record<BinaryOperator, OperatorDefinition>>

/** The binary operators, one row each, in the order in which messages list their JSON form names. */
export const OPERATORS: {
  readonly [Operator in BinaryOperator]: OperatorDefinition & { readonly kind: (typeof ROWS)[Operator]['kind'] }
} = ROWS

/** The operators of one kind. */
export type OperatorOf<Kind extends OperatorKind> = {
  [Operator in BinaryOperator]: (typeof ROWS)[Operator]['kind'] extends Kind ? Operator : never
}[BinaryOperator]

/** Whether an operator is of a kind. */
export function isOperatorOf<Kind extends OperatorKind>(
  kind: Kind,
  operator: BinaryOperator,
): operator is OperatorOf<Kind> {
  return OPERATORS[operator].kind === kind
}

/** The operator of the same kind that gives the same result with its operands swapped. */
export function mirrored<Operator extends OperatorOf<'equality' | 'order'>>(operator: Operator): Operator {
  return (OPERATORS[operator].mirrored ?? operator) as Operator
}

/** Whether an expression is a binary one whose operator is of a kind. */
export function isBinaryOf<Kind extends OperatorKind>(
  kind: Kind,
  node: Expression,
): node is Binary & { readonly operator: OperatorOf<Kind> } {
  return node.kind === 'binary' && isOperatorOf(kind, node.operator)
}

/** The unary operators. */
export const UNARY_OPERATORS = {
  '!': { form: 'Not', aliases: ['not'], foreign: ['¬'] },
  '-': { form: 'Neg', aliases: [], foreign: [] },
} as const satisfies Readonly<Record<UnaryOperator, Pick<Required<OperatorDefinition>, 'form' | 'aliases' | 'foreign'>>>

const BINARY_OPERATORS: readonly BinaryOperator[] = tableKeys(ROWS)

/** Binary operators by all their spellings; two words are separated by one space. */
export const BINARY_SPELLINGS: ReadonlyMap<string, BinaryOperator> = new Map(
  BINARY_OPERATORS.flatMap((operator) => {
    const { aliases = [] } = OPERATORS[operator]
    return [operator, ...aliases].map((spelling) => [spelling, operator] as const)
  }),
)

/** Unary operators by all their spellings. */
export const UNARY_SPELLINGS: ReadonlyMap<string, UnaryOperator> = new Map(
  tableKeys(UNARY_OPERATORS).flatMap((operator) =>
    [operator, ...UNARY_OPERATORS[operator].aliases].map((spelling) => [spelling, operator] as const),
  ),
)

/** The truth that decides each logical operator, for the interpreter: reading the operator's row takes longer. */
export const DECIDED_BY: ReadonlyMap<string, boolean | undefined> = new Map(
  BINARY_OPERATORS.map((operator) => [operator, OPERATORS[operator].decidedBy]),
)

/** Binary operators by JSON form name. */
export const BINARY_FORMS: ReadonlyMap<string, BinaryOperator> = new Map(
  BINARY_OPERATORS.map((operator) => [OPERATORS[operator].form, operator]),
)

/** Unary operators by JSON form name. */
export const UNARY_FORMS: ReadonlyMap<string, UnaryOperator> = new Map(
  tableKeys(UNARY_OPERATORS).map((operator) => [UNARY_OPERATORS[operator].form, operator]),
)

/** Our operators by their spelling in other languages: symbols, and words in lower case. */
export const FOREIGN_OPERATORS: ReadonlyMap<string, BinaryOperator | UnaryOperator> = new Map(
  [
    ...BINARY_OPERATORS.map((operator) => [operator, OPERATORS[operator].foreign ?? []] as const),
    ...tableKeys(UNARY_OPERATORS).map((operator) => [operator, UNARY_OPERATORS[operator].foreign] as const),
  ].flatMap(([operator, foreign]) => foreign.map((spelling) => [spelling, operator] as const)),
)

/**
 * The left spine of a binary expression, which is as deep as its text is long, as a list for iteration: the binary
 * expressions from the outermost inwards, then the expression that starts the innermost. Empty for other expressions.
 */
export function leftSpine(
  node: Expression,
  continues?: (operator: BinaryOperator) => boolean,
): { readonly spine: readonly Binary[]; readonly base: Expression } {
  const spine: Binary[] = []
  let base = node
  for (; base.kind === 'binary'; base = base.left) {
    if (continues !== undefined && !continues(base.operator)) break
    spine.push(base)
  }
  return { spine, base }
}

/** The operands joined by one operator, `a && (b && c) && d`, in text order; otherwise just the expression. */
export function operandsOf(node: Expression, operator: BinaryOperator): readonly Expression[] {
  const operands: Expression[] = []
  const open = [node]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === 'binary' && next.operator === operator) open.push(next.right, next.left)
    else operands.push(next)
  }
  return operands
}
