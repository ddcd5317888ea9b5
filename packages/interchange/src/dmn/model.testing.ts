import { convertDraft, type DraftRuleset } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { createProgram, decodeRuleset, ExecutionError } from '@engine/ruleset'
import { DMN_13 } from './namespace.ts'
import { testHost } from '../../../ruleset/src/host.testing.ts'

/** A decision table in a test. */
export interface WrittenTable {
  readonly hitPolicy?: string
  readonly aggregation?: string
  /** Text and type. */
  readonly inputs: readonly (readonly [expression: string, type?: string])[]
  readonly outputs: readonly WrittenOutput[]
  /** Input entries, then output entries. */
  readonly rules: readonly (readonly string[])[]
}

export interface WrittenOutput {
  readonly name?: string
  readonly type?: string
  readonly values?: string
  readonly byDefault?: string
}

export interface WrittenDecision {
  readonly name: string
  readonly type?: string
  /** Names of input data and of decisions. */
  readonly requires?: readonly string[]
  readonly table?: WrittenTable
  /** A literal expression. */
  readonly expression?: string
  /** XML instead of the logic. */
  readonly xml?: string
}

export { DMN_13 }

const escaped = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const idOf = (name: string) => `_${name.replace(/\W/g, '_')}`

/** A model of decisions and input data. */
export function dmnText(
  decisions: readonly WrittenDecision[],
  inputs: readonly (readonly [name: string, type?: string])[] = [],
  { namespace = DMN_13, extra = '' } = {},
): string {
  const data = inputs.map(
    ([name, type]) =>
      `<inputData id="${idOf(name)}" name="${escaped(name)}"><variable name="${escaped(name)}"${typeRef(type)}/></inputData>`,
  )
  const isInput = (name: string) => inputs.some(([input]) => input === name)
  return `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="${namespace}" id="model" name="model" namespace="https://example.com/model">
${extra}${data.join('\n')}
${decisions.map((decision) => decisionText(decision, isInput)).join('\n')}
</definitions>`
}

/** A model that imports others. @param imports their namespaces by the names of the imports */
export function modelText(
  namespace: string,
  imports: { readonly [name: string]: string },
  content: string,
  version = DMN_13,
): string {
  const elements = Object.entries(imports).map(
    ([name, other]) => `<import namespace="${other}" name="${name}" importType="${version}"/>`,
  )
  return `<definitions xmlns="${version}" id="d" name="${namespace}" namespace="${namespace}">${elements.join('')}
${content}
</definitions>`
}

const typeRef = (type: string | undefined) => (type === undefined ? '' : ` typeRef="${type}"`)

function decisionText(
  { name, type, requires = [], table, expression, xml = '' }: WrittenDecision,
  isInput: (name: string) => boolean,
): string {
  const needed = requires.map((one) => {
    const kind = isInput(one) ? 'requiredInput' : 'requiredDecision'
    return `<informationRequirement><${kind} href="#${idOf(one)}"/></informationRequirement>`
  })
  const literal =
    expression === undefined ? '' : `<literalExpression><text>${escaped(expression)}</text></literalExpression>`
  return `<decision id="${idOf(name)}" name="${escaped(name)}">
<variable name="${escaped(name)}"${typeRef(type)}/>${needed.join('')}
${table === undefined ? '' : tableText(table)}${literal}${xml}
</decision>`
}

function tableText({ hitPolicy, aggregation, inputs, outputs, rules }: WrittenTable): string {
  const policy = hitPolicy === undefined ? '' : ` hitPolicy="${hitPolicy}"`
  const aggregate = aggregation === undefined ? '' : ` aggregation="${aggregation}"`
  const entry = (tag: string, text: string) => `<${tag}><text>${escaped(text)}</text></${tag}>`
  const rule = (cells: readonly string[]) =>
    `<rule>${cells.map((cell, index) => entry(index < inputs.length ? 'inputEntry' : 'outputEntry', cell)).join('')}</rule>`
  return `<decisionTable${policy}${aggregate}>
${inputs.map(([text, type]) => `<input><inputExpression${typeRef(type)}><text>${escaped(text)}</text></inputExpression></input>`).join('\n')}
${outputs.map(outputText).join('\n')}
${rules.map(rule).join('\n')}
</decisionTable>`
}

function outputText({ name, type, values, byDefault }: WrittenOutput): string {
  const inner =
    (values === undefined ? '' : `<outputValues><text>${escaped(values)}</text></outputValues>`) +
    (byDefault === undefined ? '' : `<defaultOutputEntry><text>${escaped(byDefault)}</text></defaultOutputEntry>`)
  return `<output${name === undefined ? '' : ` name="${escaped(name)}"`}${typeRef(type)}>${inner}</output>`
}

/** Executes a draft with the engine: returns the output of its decision, or its error message. */
export function decide(draft: DraftRuleset): (input: Value) => Value {
  const converted = convertDraft(draft)
  const decoded = converted.ruleset && decodeRuleset(converted.ruleset)
  if (decoded?.ruleset === undefined)
    throw new Error(JSON.stringify([converted.problems, decoded?.problems, draft], undefined, 1))
  const program = createProgram(decoded.ruleset, testHost())
  return (input) => {
    try {
      const decision = program.decide(input)
      if (decision instanceof Promise) throw new Error('a decision without calls waits for one')
      return decision.output ?? {}
    } catch (error) {
      if (error instanceof ExecutionError) return { error: error.message }
      throw error
    }
  }
}
