import type { DraftRuleset, DraftStep } from '@engine/authoring'
import type { Value } from '@engine/expression'
import type { Imported } from '../conversion-result.ts'
import { Losses } from '../losses.ts'
import { casesOf } from './cases.ts'
import { contractOf } from './contract.ts'
import { Conversion, TooManySteps } from './conversion.ts'
import { type JdmNode, readGraph } from './document.ts'
import { namedLoss } from './named-loss.ts'
import { ordered, type OrderedGraph } from './order.ts'
import { withRepeatedInput } from './repeated-input.ts'
import { walkGraph } from './graph-walk.ts'

export interface JdmOptions {
  /**
   * Whether a result that includes the input gets each input field that the document names: in its nodes, tests or
   * input schema. Default: true.
   */
  readonly repeatInput?: boolean | undefined
}

/**
 * Imports a decision of the JSON Decision Model (GoRules). Input and output nodes, decision tables, expressions and
 * switches become steps; ZEN expressions are translated to ours. When both give a result it is the same, except for the
 * differences in `lost`.
 *
 * @param name of the ruleset, since the document has none
 */
export function fromJdm(document: Value, name = 'decision', options: JdmOptions = {}): Imported {
  const { rulesets, lost } = imported(document, name, options)
  return { rulesets, lost: lost.map((loss) => namedLoss(document, loss)) }
}

function imported(document: Value, name: string, options: JdmOptions): Imported {
  const losses = new Losses()
  const graph = readGraph(document, losses)
  const order = graph && ordered(graph)
  if (order === undefined) return { rulesets: [], lost: losses.lost }
  if ('onCycle' in order) {
    losses.error(order.onCycle.place, { code: 'cycle', message: 'the node is part of a cycle' })
    return { rulesets: [], lost: losses.lost }
  }
  const inputs = order.nodes.filter(({ type }) => type === 'inputNode')
  if (inputs.length === 1) return converted(order, graph?.tests, losses, name, options)
  const message = `a decision has one input node, found ${inputs.length}`
  losses.error(inputs[1]?.place ?? '/nodes', { code: 'input-nodes', message })
  return { rulesets: [], lost: losses.lost }
}

function converted(
  graph: OrderedGraph,
  tests: Value | undefined,
  losses: Losses,
  name: string,
  { repeatInput = true }: JdmOptions,
): Imported {
  const conversion = new Conversion(graph, losses, wordsOf(graph.nodes), repeatInput)
  reportUnconnected(graph, losses)
  try {
    const startStepId = walkGraph(conversion)
    const walked = conversion.steps.filter((step): step is DraftStep => step !== undefined)
    const steps = repeatInput ? withRepeatedInput(conversion, walked, tests, graph.nodes) : walked
    const ruleset: DraftRuleset = { config: { name, version: '1.0.0', numbers: 'decimal' }, startStepId, steps }
    const cases = casesOf(tests, ruleset, losses)
    const contract = contractOf(graph.nodes, ruleset, losses)
    const only = { name, ruleset, ...(cases.length > 0 && { cases }), ...(contract && { contract }) }
    return { rulesets: [only], lost: losses.lost }
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error
    losses.error('/nodes', {
      code: 'too-many',
      message: 'the switches have too many paths: split the decision',
    })
    return { rulesets: [], lost: losses.lost }
  }
}

/** ZEN does not execute a node without incoming edges. */
function reportUnconnected({ nodes, into, outOf }: OrderedGraph, losses: Losses): void {
  for (const { id, type, place } of nodes) {
    if (type === 'inputNode' || into.get(id)?.length !== 0) continue
    if (outOf.get(id)?.length === 0)
      losses.warn(place, { code: 'unconnected', message: 'the node is not connected and was omitted' })
    else losses.error(place, { code: 'unconnected', message: 'no node leads to this one: it was omitted' })
  }
}

/** All words in the expressions: function parameters must differ from them. */
function wordsOf(nodes: readonly JdmNode[]): ReadonlySet<string> {
  const words = new Set<string>()
  const collect = (value: unknown): void => {
    if (typeof value === 'string') for (const [word] of value.matchAll(/[A-Za-z_]\w*/g)) words.add(word)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect)
  }
  for (const { content } of nodes) collect(content)
  return words
}
