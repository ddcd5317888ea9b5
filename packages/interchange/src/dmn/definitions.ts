import { Losses, type LossText, type Where } from '../losses.ts'
import { locator } from '@engine/expression'
import { variableName } from '../names.ts'
import type { XmlElement } from '../xml/tree.ts'
import { dmnLosses } from './losses.ts'
import type { MergedModel } from './merged-model.ts'
import { readTypes, type Types } from './types.ts'

/** A decision of a model before its logic is parsed. */
export interface Decision {
  readonly id: string
  readonly name: string
  /** The variable that holds its result. */
  readonly variable: string
  /** The type of its result, as named in the model. */
  readonly type: string | undefined
  readonly element: XmlElement
  readonly decisions: readonly Reference[]
  readonly inputs: readonly Reference[]
}

/** A part of a model that another part requires. */
export interface Reference {
  readonly id: string
  /** The text before its name in expressions of the referring part: the name of an import and a dot, or nothing. */
  readonly prefix: string
}

export interface InputData {
  readonly name: string
  readonly type: string | undefined
}

/** Decisions that are computed together from given results of other decisions. */
export interface DecisionService {
  readonly id: string
  readonly name: string
  readonly type: string | undefined
  readonly element: XmlElement
  /** Ids of the decisions whose results it returns. */
  readonly outputs: readonly string[]
  /** Ids of the decisions whose results are given. */
  readonly inputDecisions: readonly string[]
  readonly inputData: readonly string[]
}

export interface Definitions {
  readonly decisions: ReadonlyMap<string, Decision>
  readonly services: ReadonlyMap<string, DecisionService>
  readonly inputs: ReadonlyMap<string, InputData>
  readonly types: Types
  /** Ids of the parts of other models, which do not become rulesets. */
  readonly imported: ReadonlySet<string>
  /** Names of the members of values. */
  readonly members: ReadonlySet<string>
}

/** Elements that refer to a part by its id. */
export const REFERENCES: ReadonlySet<string> = new Set([
  'requiredDecision',
  'requiredInput',
  'requiredKnowledge',
  'outputDecision',
  'encapsulatedDecision',
  'inputDecision',
  'inputData',
])

/** Elements with the logic of a decision, a model of knowledge or a part of them. */
export const LOGIC: ReadonlySet<string> = new Set([
  'decisionTable',
  'literalExpression',
  'context',
  'invocation',
  'relation',
  'list',
  'functionDefinition',
  'conditional',
  'filter',
  'for',
  'every',
  'some',
])

/** Positions of a document's parts, and their losses. */
export class DmnReport {
  readonly losses: Losses
  readonly #locate: ReturnType<typeof locator>

  constructor(document: string | ReturnType<typeof locator>, losses: Losses) {
    this.losses = losses
    this.#locate = typeof document === 'string' ? locator(document) : document
  }

  /** A report that discards losses that were already reported. */
  silent(): DmnReport {
    return new DmnReport(this.#locate, new Losses())
  }

  /** `offset`: in the document. */
  at(offset: number): Where {
    return { path: '', ...this.#locate(offset), length: 1 }
  }

  /** `path` names the part: the id of the decision, then the position in its table. */
  where(element: XmlElement, ...path: readonly (string | number)[]): Where {
    return { path: path.map((part) => `/${part}`).join(''), ...this.#locate(element.offset), length: 1 }
  }

  error(element: XmlElement, path: readonly (string | number)[], loss: LossText): undefined {
    this.losses.error(this.where(element, ...path), loss)
  }

  warn(element: XmlElement, path: readonly (string | number)[], loss: LossText): void {
    this.losses.warn(this.where(element, ...path), loss)
  }

  inform(element: XmlElement, path: readonly (string | number)[], loss: LossText): void {
    this.losses.inform(this.where(element, ...path), loss)
  }
}

/** Namespaces of the models of DMN 1.0 to 1.6. */
const NAMESPACE =
  /^https?:\/\/www\.omg\.org\/spec\/DMN\/(?:20130901|20151101\/dmn\.xsd|20180521\/MODEL\/|20191111\/MODEL\/|20211108\/MODEL\/|20230324\/MODEL\/|20240513\/MODEL\/)$/

export const isModelNamespace = (uri: string): boolean => NAMESPACE.test(uri)

export function isModel({ uri, local }: XmlElement): boolean {
  return local === 'definitions' && isModelNamespace(uri)
}

/** Children in the model's own namespace; extensions and the diagram have others. */
export function childrenOf(element: XmlElement, local: string): readonly XmlElement[] {
  return element.children.filter((child) => child.local === local && child.uri === element.uri)
}

export function childOf(element: XmlElement, local: string): XmlElement | undefined {
  return childrenOf(element, local)[0]
}

/** The text of a child `text`. */
export function textOf(element: XmlElement | undefined): string {
  const text = element === undefined ? undefined : childOf(element, 'text')
  return text?.text.trim() ?? ''
}

const IGNORED: ReadonlySet<string> = new Set([
  'description',
  'extensionElements',
  'itemDefinition',
  // These document a model, or are read with the decisions that require them.
  'businessKnowledgeModel',
  'knowledgeSource',
  'performanceIndicator',
  'organizationUnit',
  'textAnnotation',
  'association',
  'elementCollection',
  'group',
])

/** Namespaces of diagrams, which do not affect decisions. */
const DIAGRAM = /^https?:\/\/www\.omg\.org\/spec\/DMN\/\d+\/DMNDI\//

/** The declarations of a model. Linear in its size. */
export function readDefinitions(model: MergedModel, report: DmnReport): Definitions {
  const { root } = model
  const types = readTypes(root)
  const inputs = new Map<string, InputData>()
  const services = new Map<string, DecisionService>()
  const decisions = new Map<string, Decision>()
  const variables = new Set<string>()
  for (const element of root.children) {
    const id = element.attributes.get('id') ?? element.attributes.get('name') ?? ''
    const variable = childOf(element, 'variable')
    const name = (variable?.attributes.get('name') ?? element.attributes.get('name') ?? id).trim()
    const type = variable?.attributes.get('typeRef')
    if (element.local === 'DMNDI' && DIAGRAM.test(element.uri)) continue
    if (element.uri !== root.uri) report.warn(element, [], dmnLosses.foreign(element.local))
    else if (decisions.has(id) || inputs.has(id) || services.has(id))
      report.error(element, [id], dmnLosses.repeatedId(id))
    else if (element.local === 'inputData') inputs.set(id, { name, type })
    else if (element.local === 'decisionService')
      services.set(id, { id, name, type, element, ...partsOf(element, model) })
    else if (element.local === 'decision')
      decisions.set(id, {
        id,
        name,
        type,
        element,
        variable: variableName(name, variables),
        ...requirementsOf(element, model),
      })
    else if (!IGNORED.has(element.local)) report.warn(element, [id], dmnLosses.unread(element.local))
  }
  const outputs = Array.from(decisions.values(), ({ element }) => outputNames(element)).flat()
  const members = new Set([...types.members, ...outputs])
  return { decisions, services, inputs, types, imported: model.imported, members }
}

/** Names of the outputs of a decision's table, which are members of its result. */
export function outputNames(element: XmlElement | undefined): readonly string[] {
  if (element === undefined) return []
  return childrenOf(element, 'decisionTable').flatMap((table) =>
    childrenOf(table, 'output').map(({ attributes }) => attributes.get('name') ?? ''),
  )
}

/** The references among the children of an element; a part of an unknown model has its namespace in the id. */
export function referencesIn(
  element: XmlElement,
  local: string,
  { root, prefixes }: MergedModel,
): readonly Reference[] {
  const namespace = root.attributes.get('namespace') ?? ''
  return childrenOf(element, local).map((reference) => {
    const href = reference.attributes.get('href')?.trim() ?? ''
    const id = href.replace(/^[^#]*#/, '')
    const isOwn = href === `#${id}` || href === `${namespace}#${id}`
    return { id: isOwn ? id : href, prefix: prefixes.get(reference) ?? '' }
  })
}

function requirementsOf(element: XmlElement, model: MergedModel): Pick<Decision, 'decisions' | 'inputs'> {
  const required = (kind: string) =>
    childrenOf(element, 'informationRequirement').flatMap((requirement) => referencesIn(requirement, kind, model))
  return { decisions: required('requiredDecision'), inputs: required('requiredInput') }
}

function partsOf(
  element: XmlElement,
  model: MergedModel,
): Pick<DecisionService, 'outputs' | 'inputDecisions' | 'inputData'> {
  const idsOf = (kind: string) => referencesIn(element, kind, model).map(({ id }) => id)
  return { outputs: idsOf('outputDecision'), inputDecisions: idsOf('inputDecision'), inputData: idsOf('inputData') }
}
