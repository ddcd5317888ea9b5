import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Value } from '@engine/expression'
import { fromDmn, ModelLibrary } from '@engine/interchange'
import { type Decided, executable } from '../../packages/interchange/src/execute.testing.ts'
import { readTree, type XmlElement } from '../../packages/interchange/src/xml/tree.ts'
import { parseDuration, temporalText } from '../../packages/interchange/src/feel/constant/temporal.ts'
import { isSameValue } from './compare.ts'
import type { KitCase, KitResult } from './tally.ts'

/**
 * The cases of the DMN Technology Compatibility Kit in a folder: `TestCases/compliance-level-N/NAME/NAME.dmn` and
 * its expectations in XML in the same folder. Each decision or decision service that a case names is
 * requested by itself.
 */
export function dmnTckCases(folder: string): readonly KitCase[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.xml'))
  return files.sort().flatMap((file) => {
    const root = treeOf(join(folder, file))
    if (root?.local !== 'testCases') return []
    const level = /compliance-level-(\d)/.exec(file)?.[1] ?? 'other'
    const place = dirname(join(folder, file))
    const model = new KitModel(place, childText(root, 'modelName') ?? '')
    return childrenOf(root, 'testCase').map((element) => ({
      level: `level ${level}`,
      name: `${file} ${element.attributes.get('id') ?? ''}`,
      results: childrenOf(element, 'resultNode').map((node) => resultOf(model, element, node)),
    }))
  })
}

function treeOf(path: string): XmlElement | undefined {
  return readTree(readFileSync(path, 'utf8'), 1_500_000)
}

const childrenOf = (element: XmlElement, local: string) => element.children.filter((child) => child.local === local)
const childText = (element: XmlElement, local: string) => childrenOf(element, local)[0]?.text.trim()

/** A decision that is ready to be executed, or why it is refused. */
type Prepared =
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'ready'; readonly isWarned: boolean; readonly decide: (input: Value) => Decided }

/** The model of a file of expectations, converted once for each decision. */
class KitModel {
  readonly #text: string | undefined
  /** The models in the same folder. */
  readonly #library: ModelLibrary
  readonly #prepared = new Map<string, Prepared>()

  constructor(folder: string, name: string) {
    const path = join(folder, name)
    const models = readdirSync(folder).filter((file) => file.endsWith('.dmn'))
    this.#library = new ModelLibrary(models.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
    this.#text = existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }

  decision(name: string): Prepared {
    const known = this.#prepared.get(name)
    if (known !== undefined) return known
    const made = this.#prepare(name)
    this.#prepared.set(name, made)
    return made
  }

  #prepare(decision: string): Prepared {
    if (this.#text === undefined) return { kind: 'refused', reason: 'the model is missing' }
    const { rulesets, lost } = fromDmn(this.#text, 'kit', { decision, library: this.#library })
    const errors = lost.filter(({ severity }) => severity === 'error')
    const [imported] = rulesets
    if (imported === undefined || errors.length > 0)
      return { kind: 'refused', reason: errors[0]?.message ?? 'the document makes no ruleset' }
    try {
      return {
        kind: 'ready',
        isWarned: lost.some(({ severity }) => severity === 'warning'),
        decide: executable(imported.ruleset),
      }
    } catch (error) {
      return { kind: 'refused', reason: error instanceof Error ? error.message : String(error) }
    }
  }
}

function resultOf(model: KitModel, element: XmlElement, node: XmlElement): KitResult {
  const name = node.attributes.get('name') ?? ''
  const isService = element.attributes.get('type') === 'decisionService'
  const prepared = model.decision(isService ? (element.attributes.get('invocableName') ?? name) : name)
  if (prepared.kind === 'refused') return { outcome: 'refused', reason: prepared.reason }
  const inputs = childrenOf(element, 'inputNode').map((input): [string, Value] => [
    input.attributes.get('name') ?? '',
    valueOf(input),
  ])
  const decided = prepared.decide(Object.fromEntries(inputs))
  if (decided.kind === 'failed') return { outcome: 'failed', reason: decided.message }
  const [expected] = childrenOf(node, 'expected')
  const value = expected === undefined ? null : valueOf(expected)
  if (isExpected(value, decided.output, name)) return { outcome: 'right', reason: '' }
  return {
    outcome: prepared.isWarned ? 'warned' : 'different',
    reason: `expected ${shown(value)}, found ${shown(decided.output)}`,
  }
}

const shown = (value: unknown) =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))

/** A context is a ruleset's outputs, any other result its only one. */
function isExpected(value: Value, output: { readonly [name: string]: Value }, name: string): boolean {
  const own = Object.hasOwn(output, name)
    ? output[name]
    : Object.values(output).length === 1
      ? Object.values(output)[0]
      : undefined
  return isSameValue(value, output) || (own !== undefined && isSameValue(value, own))
}

/** The value of an element with `value`, `list` or `component` children. */
function valueOf(element: XmlElement): Value {
  const components = childrenOf(element, 'component')
  if (components.length > 0)
    return Object.fromEntries(components.map((one) => [one.attributes.get('name') ?? '', valueOf(one)]))
  const [list] = childrenOf(element, 'list')
  if (list !== undefined) return childrenOf(list, 'item').map(valueOf)
  const [value] = childrenOf(element, 'value')
  return value === undefined ? null : scalarOf(value)
}

/** One text of a duration that is written in several ways. */
function durationText(text: string): string {
  const duration = parseDuration(text)
  return duration === undefined ? text : temporalText(duration)
}

function scalarOf(element: XmlElement): Value {
  if (element.attributes.getIn('XMLSchema-instance', 'nil') === 'true') return null
  const { text } = element
  switch ((element.attributes.getIn('XMLSchema-instance', 'type') ?? '').replace(/^.*:/, '')) {
    case 'decimal':
    case 'double':
    case 'integer':
      return Number(text.trim())
    case 'boolean':
      return text.trim() === 'true'
    case 'date':
    case 'time':
    case 'dateTime':
      return text.trim()
    case 'duration':
      return durationText(text.trim())
    default:
      return text
  }
}
