import type { DraftRuleset, DraftStep } from '@engine/authoring'
import type { Value } from '@engine/expression'
import type { Imported } from '../conversion-result.ts'
import { Losses } from '../losses.ts'
import { Conversion, TooManySteps } from './conversion.ts'
import { type JdmNode, readGraph } from './document.ts'
import { leadingTo, ordered, type OrderedGraph } from './order.ts'
import { walkGraph } from './walk.ts'

/**
 * Imports a decision of the JSON Decision Model (GoRules). Input and output nodes, decision tables, expressions and
 * switches become steps; ZEN expressions are translated to ours. When both give a result it is the same, except for the
 * differences in `lost`.
 *
 * @param name of the ruleset, since the document has none
 */
export function fromJdm(document: Value, name = 'decision'): Imported {
  const losses = new Losses()
  const graph = readGraph(document, losses)
  const order = graph && ordered(graph)
  if (order === undefined) return { rulesets: [], lost: losses.lost }
  if ('onCycle' in order) {
    losses.error(order.onCycle.place, { code: 'cycle', message: 'the node is part of a cycle' })
    return { rulesets: [], lost: losses.lost }
  }
  if (!hasEnds(order, losses)) return { rulesets: [], lost: losses.lost }
  return converted(order, losses, name)
}

/** One input node and at least one output node. */
function hasEnds({ nodes }: OrderedGraph, losses: Losses): boolean {
  const inputs = nodes.filter(({ type }) => type === 'inputNode')
  const outputs = nodes.filter(({ type }) => type === 'outputNode')
  if (inputs.length !== 1)
    losses.error(inputs[1]?.place ?? '/nodes', {
      code: 'input-nodes',
      message: `a decision has one input node, found ${inputs.length}`,
    })
  if (outputs.length === 0)
    losses.error('/nodes', { code: 'output-nodes', message: 'there is no output node: the result is not defined' })
  return inputs.length === 1 && outputs.length > 0
}

function converted(graph: OrderedGraph, losses: Losses, name: string): Imported {
  const conversion = new Conversion(graph, losses, wordsOf(graph.nodes))
  reportUnconnected(graph, losses)
  try {
    const startStepId = walkGraph(conversion)
    const steps = conversion.steps.filter((step): step is DraftStep => step !== undefined)
    const ruleset: DraftRuleset = { config: { name, version: '1.0.0' }, startStepId, steps }
    return { rulesets: [{ name, ruleset }], lost: losses.lost }
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error
    losses.error('/nodes', {
      code: 'too-many',
      message: 'the switches have too many paths: split the decision',
    })
    return { rulesets: [], lost: losses.lost }
  }
}

/** An unreachable node has no input in ZEN; one that leads to no output may still be merged into the result. */
function reportUnconnected(graph: OrderedGraph, losses: Losses): void {
  const { nodes, into, outOf } = graph
  const needed = leadingTo(
    graph,
    nodes.flatMap(({ id, type }) => (type === 'outputNode' ? [id] : [])),
  )
  for (const { id, type, place } of nodes) {
    const isIsolated = into.get(id)?.length === 0 && outOf.get(id)?.length === 0
    if (isIsolated) losses.warn(place, { code: 'unconnected', message: 'the node is not connected and was omitted' })
    else if (type !== 'inputNode' && into.get(id)?.length === 0)
      losses.error(place, { code: 'unconnected', message: 'no node leads to this one: it was omitted' })
    else if (!needed.has(id))
      losses.error(place, { code: 'no-effect', message: 'the node leads to no output node and was omitted' })
  }
}

/** All words of the expressions: function parameters must differ from them. */
function wordsOf(nodes: readonly JdmNode[]): ReadonlySet<string> {
  const words = new Set<string>()
  const collect = (value: unknown): void => {
    if (typeof value === 'string') for (const [word] of value.matchAll(/[A-Za-z_]\w*/g)) words.add(word)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect)
  }
  for (const { content } of nodes) collect(content)
  return words
}
