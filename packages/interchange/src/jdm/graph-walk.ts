import type { DraftBranch, DraftStep } from '@engine/authoring'
import { at, type Fields, member, type Place } from '@engine/ruleset'
import { lostExpression } from '../placeholder.ts'
import { plainName } from './plain-name.ts'
import { type Conversion, type NodeContext, translated } from './conversion.ts'
import { flagIn, type JdmEdge, type JdmNode, objectsIn, optionalText } from './document.ts'
import { type Environment, membersOf, NOTHING, signatureOf, textOf, valueAt, wholeOf } from './environment.ts'
import { type Joined, joinOf, passedOn } from './join.ts'
import { contextOf } from './node-at.ts'
import { nodeSteps } from './node-steps.ts'
import { leadingTo } from './order.ts'
import { decidedBy } from './result-node.ts'
import { trueText } from './zen/condition.ts'
import type { Names } from './zen/names.ts'
import { parseZen } from './zen/parser.ts'
import { INPUT, NULL } from './zen/text.ts'

/*
 * ZEN executes each node that a live edge leads to; a switch makes the edges of some of its statements live. Here one
 * step follows another. The nodes are therefore visited in topological order, a switch becomes a decision, and each of
 * its branches continues with the nodes that are live there. The continuation depends only on the live edges and their
 * data: paths that agree in both are merged. Costs the nodes times the distinct paths; `TooManySteps` bounds both.
 */

/** One path through the switches, up to a node. */
interface Way {
  /** Outputs of the executed nodes. */
  readonly outputs: ReadonlyMap<string, Environment>
  readonly live: ReadonlySet<JdmEdge>
  /** Variables set on the path. */
  readonly variables: ReadonlySet<string>
}

/** Codes of the terminals: a node gave the result, or none did. */
const CODES = { reached: 'RESULT', none: 'NO_RESULT' } as const

/** Converts the steps of a graph; returns the id of the first one. Throws `TooManySteps`. */
export function walkGraph(conversion: Conversion): string {
  return new Walk(conversion).from(0, { outputs: new Map(), live: new Set(), variables: new Set() })
}

class Walk {
  readonly #conversion: Conversion
  readonly #nodes: readonly JdmNode[]
  /** Nodes without an outgoing edge other than output nodes, in the order of the document. */
  readonly #ends: readonly JdmNode[]
  /** Whether an expression reads the output of a node by name: all executed nodes then matter. */
  readonly #hasNames: boolean
  /** First steps after equivalent paths. */
  readonly #known = new Map<string, string>()

  constructor(conversion: Conversion) {
    this.#conversion = conversion
    this.#nodes = conversion.graph.nodes
    this.#hasNames = this.#nodes.some(({ content }) => mentions(content))
    this.#ends = this.#nodes
      .filter((node) => node.type !== 'outputNode' && this.#outOf(node.id).length === 0)
      .toSorted((one, other) => Number(one.place.key) - Number(other.place.key))
  }

  /** The first step of the continuation from a position. */
  from(position: number, way: Way): string {
    const index = this.#nodes.findIndex((node, at$) => at$ >= position && this.#isLive(node, way))
    const key = this.#key(index, way)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const node = this.#nodes[index]
    const first = node === undefined ? this.#joinedResult(way) : this.#node(node, index, way)
    this.#known.set(key, first)
    return first
  }

  #key(index: number, way: Way): string {
    const { outputs, live, variables } = way
    const ended = this.#ended(way).map(({ id }) => [id, this.#signature(outputs, id)])
    if (index < 0) return JSON.stringify(ended)
    const later = new Set(this.#nodes.slice(index).map(({ id }) => id))
    const open = new Set([...live].flatMap(({ target }) => (later.has(target) ? [target] : [])))
    const brought = [...open].sort().map((id) => [id, this.#broughtTo(id, way, later)])
    const named = this.#hasNames ? [...outputs.keys()].map((id) => [id, this.#signature(outputs, id)]) : []
    return JSON.stringify([index, brought, named, ended, [...variables].sort()])
  }

  /** Executed nodes without an outgoing edge, in the order of the document. */
  #ended({ outputs }: Way): readonly JdmNode[] {
    return this.#ends.filter(({ id }) => outputs.has(id))
  }

  /** The inputs of a node in order, and the nodes between them that are not yet executed. */
  #broughtTo(id: string, { outputs, live }: Way, later: ReadonlySet<string>): readonly (readonly string[])[] {
    return this.#into(id)
      .flatMap((edge) => {
        if (live.has(edge)) return [['data', this.#signature(outputs, edge.source)]]
        return later.has(edge.source) ? [['node', edge.source]] : []
      })
      .filter((one, index, all) => JSON.stringify(one) !== JSON.stringify(all[index - 1]))
  }

  #signature(outputs: Way['outputs'], id: string): string {
    return signatureOf(outputs.get(id) ?? NOTHING)
  }

  #isLive({ id, type }: JdmNode, { live }: Way): boolean {
    return type === 'inputNode' || this.#into(id).some((edge) => live.has(edge))
  }

  #into(id: string): readonly JdmEdge[] {
    return this.#conversion.graph.into.get(id) ?? []
  }

  #outOf(id: string): readonly JdmEdge[] {
    return this.#conversion.graph.outOf.get(id) ?? []
  }

  /** Data of several nodes is merged; the first edge takes precedence. */
  #inputOf(node: JdmNode, { outputs, live }: Way): Environment {
    if (node.type === 'inputNode') return membersOf(INPUT)
    const sources = new Set(this.#into(node.id).flatMap((edge) => (live.has(edge) ? [edge.source] : [])))
    const parts = [...sources].map((source) => outputs.get(source) ?? NOTHING)
    const joined: Joined = (difference) => this.#conversion.note(difference, node.place)
    return passedOn(parts.reduceRight((behind, front) => joinOf(behind, front, joined), NOTHING))
  }

  #node(node: JdmNode, index: number, way: Way): string {
    const input = this.#inputOf(node, way)
    const done: Way = { ...way, outputs: new Map([...way.outputs, [node.id, input]]) }
    switch (node.type) {
      case 'inputNode':
        return this.from(index + 1, withLive(done, this.#outOf(node.id)))
      case 'outputNode':
        return this.#result(node, index, input, way)
      case 'switchNode':
        return this.#switch(node, index, input, done)
      default:
        return this.#computing(node, index, input, done)
    }
  }

  #computing(node: JdmNode, index: number, input: Environment, way: Way): string {
    const conversion = this.#conversion
    const decided = this.#decided(node, index, input, way)
    if (decided !== undefined) return decided
    const variables = new Set(way.variables)
    const freshVariable = (wanted: string) => {
      let name = wanted
      for (let number = 2; variables.has(name); number++) name = `${wanted}_${number}`
      variables.add(name)
      return name
    }
    const { steps, output } = nodeSteps({ conversion, node, input, freshVariable, outputOf: this.#outputOf(node, way) })
    const places = steps.map(() => conversion.reserve())
    const outputs = new Map([...way.outputs, [node.id, output]])
    const next = this.from(index + 1, withLive({ ...way, outputs, variables }, this.#outOf(node.id)))
    for (const [number, step] of steps.entries())
      places[number]?.({ ...step, nextStepId: steps[number + 1]?.id ?? next })
    return steps[0]?.id ?? next
  }

  /** The terminal for a node that computes the whole result. */
  #decided(node: JdmNode, index: number, input: Environment, way: Way): string | undefined {
    const conversion = this.#conversion
    const out = this.#outOf(node.id)
    const [only] = out
    const isLast = out.length === 1 && this.#nodes.some(({ id, type }) => id === only?.target && type === 'outputNode')
    const later = new Set(this.#nodes.slice(index + 1).map(({ id }) => id))
    if (!isLast || [...way.live].some(({ target }) => later.has(target))) return undefined
    const decided = decidedBy(
      contextOf({ conversion, node, input, outputOf: this.#outputOf(node, way) }, () => undefined),
    )
    if (decided === undefined) return undefined
    const id = conversion.freshId(plainName(node.name, 'result'))
    conversion.reserve()({ id, name: node.name, type: 'terminal', ...decided })
    return id
  }

  /** The value of `$nodes.name`: only predecessors of this node are executed before it in every engine. */
  #outputOf(node: JdmNode, { outputs }: Way): Names['node'] {
    return (name, path) => {
      const before = leadingTo(this.#conversion.graph, [node.id])
      const found = this.#conversion.graph.nodes.find((one) => one.name === name)
      if (found === undefined || found.id === node.id || !before.has(found.id)) return undefined
      const output = outputs.get(found.id)
      return output === undefined ? NULL : valueAt(output, path)
    }
  }

  #switch(node: JdmNode, index: number, input: Environment, way: Way): string {
    const { losses } = this.#conversion
    const content = at(node.place, 'content')
    const policy = member(node.content, 'hitPolicy') ?? 'first'
    if (policy !== 'first' && policy !== 'collect')
      this.#conversion.lose(at(content, 'hitPolicy'), 'no-counterpart', 'unknown hit policy')
    const statements = objectsIn(node.content, 'statements', content, losses)
    const context = contextOf(
      { conversion: this.#conversion, node, input, outputOf: this.#outputOf(node, way) },
      () => undefined,
    )
    const made = statements.map((statement) => this.#statement(context, statement))
    return policy === 'collect' ? this.#each(node, index, made, way) : this.#first(node, index, made, way)
  }

  #statement(context: NodeContext, { fields, place }: { readonly fields: Fields; readonly place: Place }): Statement {
    const { losses } = this.#conversion
    const id = optionalText(fields, 'id', place, losses)
    const condition = optionalText(fields, 'condition', place, losses).trim()
    const edges = this.#outOf(context.node.id).filter(({ handle }) => handle === id)
    if (condition === '' || flagIn(fields, 'isDefault', place, losses)) return { edges, isAlways: true }
    const text = translated(context, at(place, 'condition'), (around) => trueText(parseZen(condition), around).text)
    return { edges, isAlways: false, condition: text ?? lostExpression(condition) }
  }

  /** A decision with a branch for each statement. */
  #first(node: JdmNode, index: number, statements: readonly Statement[], way: Way): string {
    const always = statements.findIndex(({ isAlways }) => isAlways)
    const tried = always < 0 ? statements : statements.slice(0, always)
    const otherwise = always < 0 ? [] : (statements[always]?.edges ?? [])
    if (tried.length === 0) return this.from(index + 1, withLive(way, otherwise))
    return this.#decision(node, (branch) => {
      const branches = tried.map((statement, number) =>
        branch(number, statement, this.from(index + 1, withLive(way, statement.edges))),
      )
      return { branches, defaultNextStepId: this.from(index + 1, withLive(way, otherwise)) }
    })
  }

  /** Consecutive decisions, one for each statement. */
  #each(node: JdmNode, index: number, statements: readonly Statement[], way: Way): string {
    const [statement, ...rest] = statements
    if (statement === undefined) return this.from(index + 1, way)
    const yes = () => this.#each(node, index, rest, withLive(way, statement.edges))
    if (statement.isAlways) return yes()
    return this.#decision(node, (branch) => ({
      branches: [branch(0, statement, yes())],
      defaultNextStepId: this.#each(node, index, rest, way),
    }))
  }

  #decision(
    node: JdmNode,
    fill: (branch: typeof branchOf) => Pick<DraftStep & { type: 'decision' }, 'branches' | 'defaultNextStepId'>,
  ): string {
    const set = this.#conversion.reserve()
    const id = this.#conversion.freshId(plainName(node.name, 'switch'))
    set({ id, name: node.name, type: 'decision', ...fill(branchOf) })
    return id
  }

  /** The result of an output node, which ends the execution. */
  #result(node: JdmNode, index: number, input: Environment, way: Way): string {
    if (this.#ended(way).length > 0 || this.#reachesEnd(index, way))
      this.#conversion.lose(
        node.place,
        'several-results',
        'another node also gives a result in the same execution: which one counts depends on the order of the edges',
      )
    return this.#terminal(node, input)
  }

  /** The joined outputs of the nodes without an outgoing edge: a later one in the document takes precedence. */
  #joinedResult(way: Way): string {
    const ended = this.#ended(way)
    const [first] = ended
    if (first === undefined) return this.#noResult()
    const parts = ended.map(({ id }) => way.outputs.get(id) ?? NOTHING)
    const joined: Joined = (difference) => this.#conversion.note(difference, first.place)
    const result = parts.reduce((behind, front) => joinOf(behind, front, joined))
    return this.#terminal(ended.length === 1 ? first : { ...first, name: 'Result' }, result)
  }

  /** Each known member is an output; the fields of an included input are added later. */
  #terminal({ name: title, place }: JdmNode, result: Environment): string {
    const id = this.#conversion.freshId(plainName(title, 'result'))
    if (result.rest !== undefined && result.list === undefined) {
      this.#conversion.noteInput(place)
      if (result.rest === INPUT) this.#conversion.repeating.add(id)
    }
    const output =
      result.list !== undefined || (result.rest !== undefined && result.rest !== INPUT)
        ? [{ name: 'result', value: wholeOf(result).text }]
        : [...result.known].map(([name, entry]) => ({ name, value: textOf(entry).text }))
    this.#conversion.reserve()({ id, name: title, type: 'terminal', code: CODES.reached, output })
    return id
  }

  /** Whether another node that gives a result may be reached on the same path. */
  #reachesEnd(index: number, { live }: Way): boolean {
    const later = new Set(this.#nodes.slice(index + 1).map(({ id }) => id))
    const reached = new Set([...live].flatMap(({ target }) => (later.has(target) ? [target] : [])))
    // A node precedes its successors.
    for (const id of reached) for (const { target } of this.#outOf(id)) reached.add(target)
    return this.#nodes.some(({ id }) => reached.has(id) && this.#outOf(id).length === 0)
  }

  #noResult(): string {
    const id = this.#conversion.freshId('no_result')
    this.#conversion.reserve()({ id, name: 'No result', type: 'terminal', code: CODES.none })
    return id
  }
}

interface Statement {
  readonly edges: readonly JdmEdge[]
  readonly isAlways: boolean
  readonly condition?: string
}

const branchOf = (number: number, { condition }: Statement, nextStepId: string): DraftBranch => ({
  id: `b${number + 1}`,
  ...(condition !== undefined && { condition }),
  nextStepId,
})

const withLive = (way: Way, edges: readonly JdmEdge[]): Way => ({ ...way, live: new Set([...way.live, ...edges]) })

/** Whether any text in the content of a node contains the name for outputs of nodes. */
function mentions(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('$nodes')
  return typeof value === 'object' && value !== null && Object.values(value).some(mentions)
}
