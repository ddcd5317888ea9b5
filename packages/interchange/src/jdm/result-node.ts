import type { Assignment, TerminalStep } from '@engine/authoring'
import { at, member, type Place } from '@engine/ruleset'
import { lostExpression } from '../placeholder.ts'
import { type NodeContext, translated } from './conversion.ts'
import { flagIn, objectsIn, optionalText } from './document.ts'
import { ZenSyntaxError } from './zen/ast.ts'
import { parseZen } from './zen/parser.ts'
import { valueText } from './zen/value.ts'

/** The decision of a terminal. */
export type Decided = Required<Pick<TerminalStep, 'code' | 'output'>> & Pick<TerminalStep, 'message'>

interface Written {
  readonly key: string
  readonly value: string
  readonly place: Place
}

/**
 * The terminal represented by an expression node in front of an output node that computes only `code`, a constant text,
 * `message`, a text, and members of `output`. Undefined for any other node.
 */
export function decidedBy(context: NodeContext): Decided | undefined {
  const found = writtenIn(context)
  const code = found && constantText(found.find(({ key }) => key === 'code')?.value ?? '')
  if (found === undefined || code === undefined) return undefined
  const text = found.find(({ key }) => key === 'message')
  const message = text && translation(context, text)
  if (message !== undefined && message.type !== 'text') return undefined
  const output = found.flatMap((one): Assignment[] =>
    one.key.startsWith(OUTPUT) ? [{ name: one.key.slice(OUTPUT.length), value: translation(context, one).text }] : [],
  )
  return { code, ...(message !== undefined && { message: message.text }), output }
}

const OUTPUT = 'output.'

/** The expressions of a node that only has those of a terminal. */
function writtenIn({ conversion: { losses }, node }: NodeContext): readonly Written[] | undefined {
  const { content } = node
  const place = at(node.place, 'content')
  if (node.type !== 'expressionNode' || (member(content, 'executionMode') ?? 'single') !== 'single') return undefined
  if (flagIn(content, 'passThrough', place, losses)) return undefined
  if (['inputField', 'outputPath'].some((key) => optionalText(content, key, place, losses) !== '')) return undefined
  const found = objectsIn(content, 'expressions', place, losses).map(({ fields, place: own }) => ({
    key: optionalText(fields, 'key', own, losses),
    value: optionalText(fields, 'value', own, losses),
    place: own,
  }))
  const keys = new Set(found.map(({ key }) => key))
  const isTerminal = found.every(
    ({ key, value }) => /^(?:code|message|output\.[A-Za-z_]\w*)$/.test(key) && value !== '',
  )
  return isTerminal && keys.has('code') && keys.size === found.length ? found : undefined
}

function constantText(text: string): string | undefined {
  try {
    const zen = parseZen(text)
    return zen.kind === 'literal' && typeof zen.value === 'string' ? zen.value : undefined
  } catch (error) {
    if (error instanceof ZenSyntaxError) return undefined
    throw error
  }
}

function translation(context: NodeContext, { value, place }: Written) {
  const text = translated(context, at(place, 'value'), (around) => valueText(parseZen(value), around))
  return text ?? { text: lostExpression(value), type: 'text' as const }
}
