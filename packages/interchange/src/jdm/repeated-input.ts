import type { DraftStep } from '@engine/authoring'
import { isList, parseJson, type Value } from '@engine/expression'
import { isFields, member } from '@engine/ruleset'
import { inputNames } from '../input-names.ts'
import type { Conversion } from './conversion.ts'
import type { JdmNode } from './document.ts'
import { INPUT, memberOf } from './zen/text.ts'

/** Maximum number of outputs that copy input fields. */
const MAX_REPEATED = 1000

/**
 * The steps with terminals that copy the input fields that the document names, if the result includes the whole input
 * in ZEN. Cost: the terminals times the names.
 */
export function withRepeatedInput(
  conversion: Conversion,
  steps: readonly DraftStep[],
  tests: Value | undefined,
  nodes: readonly JdmNode[],
): readonly DraftStep[] {
  if (conversion.repeating.size === 0) return steps
  const names = new Set([...inputNames(steps), ...testedNames(tests), ...schemaNames(nodes)])
  const repeated = [...names].filter((name) => name !== '' && name !== '__proto__').slice(0, MAX_REPEATED)
  return steps.map((step) => {
    if (step.type !== 'terminal' || !conversion.repeating.has(step.id)) return step
    const output = step.output ?? []
    const own = new Set(output.map(({ name }) => name))
    const added = repeated.filter((name) => !own.has(name))
    return { ...step, output: [...output, ...added.map((name) => ({ name, value: memberOf(INPUT, name).text }))] }
  })
}

/** Names of the inputs of the document's tests. */
function testedNames(tests: Value | undefined): readonly string[] {
  return isList(tests) ? tests.flatMap((test) => (isFields(test) ? keysOf(member(test, 'input')) : [])) : []
}

/** Property names in the input node's JSON Schema, which is stored as text. */
function schemaNames(nodes: readonly JdmNode[]): readonly string[] {
  return nodes.flatMap(({ type, content }) => {
    const text = type === 'inputNode' ? member(content, 'schema') : undefined
    if (typeof text !== 'string') return []
    const parsed = parseJson(text, { duplicateKeys: 'last' })
    return parsed.kind === 'failed' || !isFields(parsed.value) ? [] : keysOf(member(parsed.value, 'properties'))
  })
}

const keysOf = (value: Value | undefined): readonly string[] => (isFields(value) ? Object.keys(value) : [])
