import { parseSync } from 'rolldown/utils'
import type { Mutation } from './mutations.ts'

/** A mistake with the number by which it is switched on. */
export interface NumberedMutation {
  readonly id: number
  readonly mutation: Mutation
}

/** A source in which mistakes can be switched on one at a time, while it runs. */
export interface SwitchedSource {
  readonly text: string
  /** Ids of mistakes with a syntax error. */
  readonly malformed: ReadonlySet<number>
  /** Ids of mistakes outside expressions and statements. */
  readonly unplanted: ReadonlySet<number>
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

/** A node, and the member of its parent that it is. */
interface Step {
  readonly node: Node
  readonly member: string
}

/** A mistake as the text that replaces a whole expression or statement. */
interface Alternative {
  readonly id: number
  readonly text: string
}

/** The switch. It is appended to a source, whose lines keep their numbers: declarations are hoisted. */
const QUESTION = '\nfunction isMutantOn(id) { return globalThis.isMutantOn?.(id) === true }\n'

/**
 * Plant all these mistakes in one source, each behind a switch. `globalThis.isMutantOn(id)` decides at every execution of
 * its place whether a mistake is on. The copies in a switch have no switches: the text grows with the depth of nesting.
 */
export function withSwitches(path: string, source: string, mutations: readonly NumberedMutation[]): SwitchedSource {
  const program = parsed(path, source)
  if (program === undefined) throw new Error(`${path} cannot be parsed`)
  const malformed = new Set<number>()
  const unplanted = new Set<number>()
  const alternatives = new Map<Node, Alternative[]>()
  for (const { id, mutation } of mutations) {
    const { start, end, replacement } = mutation
    const host = hostOf(program, mutation)
    if (host === undefined) {
      unplanted.add(id)
      continue
    }
    const before = source.slice(host.start, Math.max(start, host.start))
    const text = before + replacement.replace(/^\.{3}/, '') + source.slice(Math.min(end, host.end), host.end)
    // `a && b ?? c` needs parentheses: no other replacement of an operator changes the syntax.
    if (host.type === 'LogicalExpression' && text.includes('??') && parsed(path, `(${text})`) === undefined) {
      malformed.add(id)
      continue
    }
    alternatives.set(host, [...(alternatives.get(host) ?? []), { id, text }])
  }
  return { text: rendered(program, source, alternatives) + QUESTION, malformed, unplanted }
}

function parsed(path: string, source: string): Node | undefined {
  const { program, errors } = parseSync(path, source)
  return errors.length > 0 ? undefined : (program as unknown as Node)
}

/** The statement or expression that a switch replaces for a mistake: the smallest that can stand in parentheses. */
function hostOf(program: Node, { start, end, replacement }: Mutation): Node | undefined {
  const path = pathTo(program, start, end)
  const isExact = ({ node }: Step) => node.start === start && node.end === end
  if (replacement === '' && path.some((step) => isExact(step) && step.node.type === 'ExpressionStatement'))
    return path.find((step) => isExact(step) && step.node.type === 'ExpressionStatement')?.node
  if (replacement.startsWith('...')) {
    const spread = path.find((step) => isExact(step) && step.node.type === 'SpreadElement')?.node
    return isNode(spread?.['argument']) ? spread['argument'] : undefined
  }
  const exact = path.findIndex((step) => isExact(step) && isExpression(step.node))
  const isName = exact > 0 && isNameOf(path[exact - 1]?.node, path[exact]?.member)
  if (exact >= 0 && !isName) {
    const parent = path[exact - 1]?.node.type ?? ''
    return /^(?:Import|Export(?:Named|All))Declaration$|^ImportSpecifier$/.test(parent) ? undefined : path[exact]?.node
  }
  if (isName && path[exact - 1]?.node.type !== 'MemberExpression') return undefined
  const at = path.findLastIndex(({ node }) =>
    isName ? node.type === 'CallExpression' : /^(?:Binary|Logical)Expression$/.test(node.type),
  )
  return at < 0 ? undefined : path[wholeChain(path, at)]?.node
}

/** The nodes around a range, the outermost first. */
function pathTo(program: Node, start: number, end: number): readonly Step[] {
  const path: Step[] = []
  let step: Step | undefined = { node: program, member: '' }
  while (step !== undefined) {
    path.push(step)
    step = childrenOf(step.node)
      .filter(({ node }) => node.start <= start && end <= node.end)
      .toSorted((left, right) => right.node.end - right.node.start - (left.node.end - left.node.start))[0]
  }
  return path
}

/** Parts of an optional chain end with it: a switch replaces all of the chain. */
function wholeChain(path: readonly Step[], at: number): number {
  for (let outer = at; outer > 0; outer--) {
    const member = path[outer]?.member ?? ''
    const parent = path[outer - 1]?.node.type ?? ''
    if (parent === 'ChainExpression') return outer - 1
    if (!['object', 'callee', 'expression'].includes(member) || !/^(?:Member|Call|TSNonNull)Expression$/.test(parent))
      return at
  }
  return at
}

const isExpression = ({ type }: Node) =>
  /Expression$|^(?:Literal|Identifier|TemplateLiteral|JSXElement|JSXFragment)$/.test(type)

const isNameOf = (parent: Node | undefined, member: string | undefined) =>
  parent?.['computed'] !== true && (member === 'property' || member === 'key')

/** The text of a node, with switches in it. */
function rendered(node: Node, source: string, alternatives: ReadonlyMap<Node, readonly Alternative[]>): string {
  let text = ''
  let at = node.start
  const children = childrenOf(node).toSorted(
    (left, right) => left.node.start - right.node.start || right.node.end - left.node.end,
  )
  for (const { node: child, member } of children) {
    if (child.start < at) continue
    const own = rendered(child, source, alternatives)
    const isAttribute = node.type === 'JSXAttribute' && member === 'value' && alternatives.has(child)
    text += source.slice(at, child.start) + (isAttribute ? `{${own}}` : own)
    at = child.end
  }
  const whole = text + source.slice(at, node.end)
  const own = alternatives.get(node) ?? []
  if (node.type === 'ExpressionStatement') {
    // In braces: a line that begins with a parenthesis would continue the one before.
    if (own.length > 0) return `{ if (!isMutantOn(${own[0]?.id})) { ${whole} } }`
    return whole.startsWith('(isMutantOn') ? `{ ${whole} }` : whole
  }
  if (own.length === 0) return whole
  return `(${own.map((one) => `isMutantOn(${one.id}) ? (${one.text}) : `).join('')}(${whole}))`
}

function childrenOf(node: Node): readonly Step[] {
  return Object.entries(node).flatMap(([member, value]) =>
    (Array.isArray(value) ? value : [value]).filter(isNode).map((child) => ({ node: child, member })),
  )
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}
