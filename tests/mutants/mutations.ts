import { parseSync } from 'rolldown/utils'

/** One planted mistake: the text between two offsets of a source is replaced. */
export interface Mutation {
  /** The operator, as the report names it. */
  readonly kind: string
  readonly start: number
  readonly end: number
  readonly replacement: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

const OPPOSITES: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
}

/** Methods whose counterpart takes the same arguments. */
const COUNTERPARTS: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  toLowerCase: 'toString',
  trim: 'toString',
  find: 'findLast',
  at: 'indexOf',
}

/** Imports have no behaviour, and no caller depends on the text of an error. */
const SKIPPED = new Set(['ImportDeclaration', 'ExportAllDeclaration', 'ThrowStatement'])

/** Nodes of TypeScript that contain an expression; all others are types. */
const TYPED_EXPRESSIONS = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'])

/**
 * All mistakes that can be planted in a TypeScript source: comparisons, logic, arithmetic, limits, conditions, literals,
 * statements that are omitted. Types, imports and texts of errors are left alone. Takes time linear in the source.
 */
export function mutationsOf(path: string, source: string): readonly Mutation[] {
  const { program, errors } = parseSync(path, source)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  const found: Mutation[] = []
  visit(program as unknown as Node, source, found)
  return found.toSorted((left, right) => left.start - right.start || left.end - right.end)
}

function visit(node: Node, source: string, found: Mutation[]): void {
  if (node.type.startsWith('TS') && !TYPED_EXPRESSIONS.has(node.type)) return
  if (SKIPPED.has(node.type) || isDirective(node)) return
  found.push(...mutationsOfNode(node, source))
  for (const child of childrenOf(node)) visit(child, source, found)
}

function childrenOf(node: Node): readonly Node[] {
  const skipsKey = node.type === 'Property' && node['computed'] !== true
  return Object.entries(node).flatMap(([name, value]) => {
    if (name === 'typeAnnotation' || name === 'typeArguments' || name === 'returnType' || (skipsKey && name === 'key'))
      return []
    return (Array.isArray(value) ? value : [value]).filter(isNode)
  })
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function mutationsOfNode(node: Node, source: string): readonly Mutation[] {
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
      return operatorMutations(node, source)
    case 'UnaryExpression':
      return node['operator'] === '!' ? [replaced(node, textOf(node['argument'], source), 'negation removed')] : []
    case 'IfStatement':
    case 'ConditionalExpression':
      return conditionMutations(node['test'])
    case 'Literal':
      return literalMutations(node)
    case 'ExpressionStatement':
      return [replaced(node, '', 'statement removed')]
    case 'CallExpression':
      return methodMutations(node)
    case 'ReturnStatement':
      return ['', 'undefined'].includes(textOf(node['argument'], source))
        ? []
        : [replaced(node['argument'] as Node, 'undefined', 'undefined returned')]
    case 'SpreadElement':
      return [replaced(node, '...[]', 'spread removed')].filter(() =>
        source.slice(0, node.start).trimEnd().endsWith('['),
      )
    default:
      return []
  }
}

function operatorMutations(node: Node, source: string): readonly Mutation[] {
  const operator = String(node['operator'])
  const opposite = OPPOSITES[operator]
  const left = node['left']
  const right = node['right']
  if (opposite === undefined || !isNode(left) || !isNode(right)) return []
  // Texts are joined and not subtracted.
  if (operator === '+' && (isText(left) || isText(right))) return []
  const at = source.indexOf(operator, left.end)
  if (at < 0 || at >= right.start) return []
  return [{ kind: `\`${operator}\` is \`${opposite}\``, start: at, end: at + operator.length, replacement: opposite }]
}

function conditionMutations(test: unknown): readonly Mutation[] {
  if (!isNode(test)) return []
  return [replaced(test, 'true', 'condition always true'), replaced(test, 'false', 'condition always false')]
}

function literalMutations(node: Node): readonly Mutation[] {
  const { value } = node
  if (typeof value === 'boolean') return [replaced(node, String(!value), 'truth value inverted')]
  if (typeof value === 'number' && Number.isSafeInteger(value))
    return [replaced(node, String(value + 1), 'number plus one')]
  if (typeof value === 'string' && value !== '') return [replaced(node, "''", 'text emptied')]
  return []
}

function methodMutations(node: Node): readonly Mutation[] {
  const callee = node['callee']
  if (!isNode(callee) || callee.type !== 'MemberExpression' || callee['computed'] === true) return []
  const property = callee['property']
  if (!isNode(property)) return []
  const name = String(property['name'])
  const counterpart = Object.hasOwn(COUNTERPARTS, name) ? COUNTERPARTS[name] : undefined
  return counterpart === undefined ? [] : [replaced(property, counterpart, `\`${name}\` is \`${counterpart}\``)]
}

function replaced({ start, end }: Node, replacement: string, kind: string): Mutation {
  return { kind, start, end, replacement }
}

const textOf = (node: unknown, source: string) => (isNode(node) ? source.slice(node.start, node.end) : '')
const isText = (node: Node) =>
  node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node['value'] === 'string')
const isDirective = (node: Node) => typeof node['directive'] === 'string'
