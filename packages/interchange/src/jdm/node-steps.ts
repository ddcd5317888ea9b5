import { quote, stringifyJson } from '@engine/expression'
import { at, member } from '@engine/ruleset'
import { flagIn, optionalText } from './document.ts'
import { type Environment, environmentAt, nested, NOTHING } from './environment.ts'
import { expressionSteps } from './expression-steps.ts'
import { loopSteps } from './loop-steps.ts'
import { joinOf, passedOn } from './join.ts'
import { lostNode, type NodeAt, type NodeSteps } from './node-at.ts'
import { tableSteps } from './table-steps.ts'

/** The steps of a node that computes. */
export function nodeSteps(from: NodeAt): NodeSteps {
  const { type, content } = from.node
  switch (type) {
    case 'expressionNode':
      return framed(from, expressionSteps)
    case 'decisionTableNode':
      return framed(from, tableSteps)
    case 'functionNode': {
      const source = member(content, 'source')
      return lostNode(from, 'the code of a function node', typeof source === 'string' ? source : undefined)
    }
    case 'decisionNode': {
      const key = member(content, 'key')
      const of = typeof key === 'string' ? ` ${quote(key)}` : ''
      return lostNode(from, `the decision${of} of another document`)
    }
    case 'customNode':
      return lostNode(from, 'a custom node', stringifyJson(content))
    default:
      return lostNode(from, `the node type ${quote(type)}`, stringifyJson(content))
  }
}

/** Applies `inputField`, `outputPath` and `passThrough` around a node's computation. */
function framed(from: NodeAt, inner: (from: NodeAt, behind: Environment) => NodeSteps): NodeSteps {
  const { node, conversion, input } = from
  const { content } = node
  const place = at(node.place, 'content')
  const mode = member(content, 'executionMode') ?? 'single'
  if (mode !== 'single' && mode !== 'loop') return lostNode(from, 'such an execution mode')
  const inputField = optionalText(content, 'inputField', place, conversion.losses)
  const outputPath = optionalText(content, 'outputPath', place, conversion.losses)
  const passes = flagIn(content, 'passThrough', place, conversion.losses)
  const path = inputField === '' ? [] : inputField.split('.')
  if (!path.every((key) => /^[A-Za-z_]\w*$/.test(key))) return lostNode(from, 'an input field that is not a path')
  const outer = outputPath === '' ? [] : outputPath.split('.')
  const behind = passes ? environmentAt(input, outer) : NOTHING
  const own = { ...from, input: environmentAt(input, path) }
  const { steps, output } = mode === 'loop' ? loopSteps({ ...from, input }, path, passes) : inner(own, behind)
  const placed = nested(output, outer)
  if (!passes) return { steps, output: placed }
  const joined = joinOf(input, placed, (difference) => conversion.note(difference, place))
  return { steps, output: passedOn(joined) }
}
