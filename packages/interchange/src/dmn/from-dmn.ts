import { type DraftRuleset, type DraftStep, type Problem } from '@engine/authoring'
import type { ModelFunction } from '../feel/expansion.ts'
import { type FeelName, FeelScope } from '../feel/scope.ts'
import { inputPath, variablePath } from '../feel/write.ts'
import type { Imported } from '../conversion-result.ts'
import { Losses } from '../losses.ts'
import { errorsOf, unchecked } from '../draft-errors.ts'
import { rulesetNames, unusedName, variableName } from '../names.ts'
import { XmlFault } from '../xml/read-xml.ts'
import { readTree, type XmlElement } from '../xml/tree.ts'
import { buildDecision, type BuiltDecision } from './decision.ts'
import {
  type Decision,
  type DecisionService,
  type Definitions,
  DmnReport,
  isModel,
  outputNames,
  readDefinitions,
} from './definitions.ts'
import { BoxedLogic } from './boxed-logic.ts'
import { ConstantModel } from './constant-model.ts'
import type { DecisionContext } from './table.ts'
import { chainsOf, type DecisionChain } from './graph.ts'
import { dmnLosses } from './losses.ts'
import { DocumentPositions, mergeModels } from './merged-model.ts'
import { MAX_ELEMENTS, ModelLibrary, namespaceOf } from './model-library.ts'
import { namedLoss } from './named-loss.ts'

export interface DmnOptions {
  /** The name or id of the only decision or decision service to convert. */
  readonly decision?: string | undefined
  /** The models that the document may import. */
  readonly library?: ModelLibrary | undefined
}

/**
 * Converts a decision model (DMN 1.1 to 1.6): one ruleset for each decision that no other requires and for each decision
 * service, including all decisions that it requires. Linear in the size of the document, except that a decision shared by several rulesets
 * counts once for each. Throws `TooLarge`.
 */
export function fromDmn(document: string, name?: string, options: DmnOptions = {}): Imported {
  const losses = new Losses()
  const positions = new DocumentPositions()
  positions.add(document)
  const report = new DmnReport(positions.locate, losses)
  const root = rootOf(document, report)
  if (root === undefined) return { rulesets: [], lost: losses.lost }
  const library = options.library ?? new ModelLibrary()
  const model = mergeModels(root, library, positions, report)
  const definitions = readDefinitions(model, report)
  if (definitions.decisions.size === 0) {
    if (library.isImported(namespaceOf(root))) report.inform(root, [], dmnLosses.importedModel())
    else report.error(root, [], dmnLosses.noDecision())
  }
  const asked = askedIn(definitions, options.decision)
  if (asked === undefined && options.decision !== undefined) {
    report.error(root, [], dmnLosses.unknownDecisionName(options.decision))
    return { rulesets: [], lost: losses.lost.map((loss) => namedLoss(definitions, loss)) }
  }
  const chains = chainsOf(definitions, report, asked)
  const names = rulesetNames(
    chains.map((chain) => chain.name),
    name,
  )
  const told = new Set<Decision>()
  const constants = new ConstantModel(model, definitions)
  const boxed = new BoxedLogic(model, definitions)
  const rulesets = chains.map((chain, index) => {
    const given = names[index] ?? ''
    const logic = { constants: chain.given.size === 0 ? constants : constants.without(chain.given), boxed }
    return { name: given, ruleset: rulesetOf(given, chain, definitions, report, told, logic) }
  })
  return { rulesets, lost: losses.lost.map((loss) => namedLoss(definitions, loss)) }
}

function askedIn(
  { decisions, services, imported }: Definitions,
  wanted: string | undefined,
): Decision | DecisionService | undefined {
  if (wanted === undefined) return undefined
  const own = [...decisions.values(), ...services.values()].filter(({ id }) => !imported.has(id))
  return (
    own.find(({ name, element }) => name === wanted || element.attributes.get('name') === wanted) ??
    own.find(({ id }) => id === wanted)
  )
}

function rootOf(document: string, report: DmnReport): XmlElement | undefined {
  try {
    const root = readTree(document, MAX_ELEMENTS)
    return isModel(root) ? root : report.error(root, [], dmnLosses.noModel())
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error
    report.losses.error(report.at(error.offset), dmnLosses.unreadable(error.message))
    return undefined
  }
}

/** `told`: decisions whose losses were already reported by another ruleset of the document. */
function rulesetOf(
  name: string,
  { tops, order, given }: DecisionChain,
  definitions: Definitions,
  report: DmnReport,
  told: Set<Decision>,
  logic: Pick<DecisionContext, 'constants' | 'boxed'>,
): DraftRuleset {
  const { decisions, types } = definitions
  const taken = new Set(Array.from(decisions.values(), ({ variable }) => variable))
  const values = givenValues(given, definitions, (wanted) => variableName(wanted, taken))
  const ids = new Set(decisions.keys())
  const terminal = unusedName('result', ids)
  const built = new Map<Decision, BuiltDecision>()
  let next = terminal
  for (const decision of order.toReversed()) {
    const scope: FeelScope = scopeOf(
      decision,
      definitions,
      { given, values },
      logic.boxed.functionsOf(decision.element, () => scope),
    )
    const variable = (wanted: string) => variableName(wanted, taken)
    const silent = told.has(decision) ? report.silent() : report
    const required = new Set(decision.decisions.flatMap(({ id }) => outputNames(decisions.get(id)?.element)))
    const steps = buildDecision({ decision, scope, required, types, report: silent, ...logic, variable }, next)
    told.add(decision)
    built.set(decision, steps)
    next = steps.steps[0]?.id ?? next
  }
  const [only] = tops
  const output =
    only !== undefined && tops.length === 1
      ? outputOf(only, built.get(only)?.entries)
      : tops.map((top) => ({ name: top.name, value: variablePath(top.variable, []) }))
  const first = givenStep(values, unusedName('given', ids), next)
  const steps: DraftStep[] = [
    ...(first === undefined ? [] : [first]),
    ...order.flatMap((decision) => built.get(decision)?.steps ?? []),
  ]
  steps.push({ id: terminal, type: 'terminal', code: 'DECIDED', output })
  const draft: DraftRuleset = { config: { name, numbers: 'decimal' }, startStepId: first?.id ?? next, steps }
  reportProblems(draft, order, built, report)
  return draft
}

/** A given value of a service, in a variable that conforms to its declared type. */
interface GivenValue {
  readonly name: string
  readonly variable: string
  /** The function that tests its type. */
  readonly test: string
}

const TESTS: ReadonlyMap<string, string> = new Map([
  ['string', 'is_string'],
  ['number', 'is_number'],
  ['boolean', 'is_bool'],
])

/** The given decisions and input data of a simple type, by their ids. */
function givenValues(
  given: ReadonlySet<string>,
  { decisions, inputs, types }: Definitions,
  variableOf: (name: string) => string,
): ReadonlyMap<string, GivenValue> {
  const found = new Map<string, GivenValue>()
  for (const id of given) {
    const decision = decisions.get(id)
    const part = decision ?? inputs.get(id)
    const test = TESTS.get(types.typeOf(part?.type) ?? '')
    if (part === undefined || test === undefined) continue
    found.set(id, { name: part.name, variable: decision?.variable ?? variableOf(part.name), test })
  }
  return found
}

/**
 * Converts given values to their types as FEEL does: a list with one item to that item, and values of other types to
 * null.
 */
function givenStep(values: ReadonlyMap<string, GivenValue>, id: string, nextStepId: string): DraftStep | undefined {
  const assignments = Array.from(values.values(), ({ name, variable, test }) => {
    const path = inputPath([name])
    const item = `is_array(${path}) && len(${path}) == 1 && ${test}(${path}[0])`
    return { name: variable, value: `if ${test}(${path}) then ${path} else if ${item} then ${path}[0] else null` }
  })
  return assignments.length === 0 ? undefined : { id, name: 'Given values', type: 'action', assignments, nextStepId }
}

/**
 * The names in the scope of a decision: those of its requirements. @param given ids of decisions whose results are
 * inputs
 */
function scopeOf(
  decision: Decision,
  { decisions, inputs, types, members }: Definitions,
  { given, values }: { readonly given: ReadonlySet<string>; readonly values: ReadonlyMap<string, GivenValue> },
  functions: ReadonlyMap<string, ModelFunction>,
): FeelScope {
  const names: FeelName[] = []
  for (const { id, prefix } of decision.inputs) {
    const input = inputs.get(id)
    if (input === undefined) continue
    const { name, type } = input
    names.push({ name: `${prefix}${name}`, target: targetOf(values.get(id)?.variable, name), ...typed(type, types) })
  }
  for (const { id, prefix } of decision.decisions) {
    const required = decisions.get(id)
    if (required === undefined) continue
    const { name, type, variable } = required
    const isInput = given.has(id) && !values.has(id)
    const target = targetOf(isInput ? undefined : variable, name)
    names.push({ name: `${prefix}${name}`, target, ...typed(type, types) })
  }
  return new FeelScope(names, members, functions)
}

/** A variable, or a field of the input. */
const targetOf = (variable: string | undefined, field: string): FeelName['target'] =>
  variable === undefined ? { kind: 'input', field } : { kind: 'variable', variable }

const typed = (reference: string | undefined, types: Definitions['types']): Omit<FeelName, 'name' | 'target'> => ({
  reference,
  shapeOf: (path) => types.shapeOf(reference, path),
  typeOf: (path) => types.typeOf(reference, path),
  items: types.itemsOf(reference),
})

/** A context becomes its entries, any other result one output with the decision's name. */
function outputOf({ name, variable }: Decision, entries: readonly string[] | undefined) {
  if (entries === undefined) return [{ name, value: variablePath(variable, []) }]
  return entries.map((entry) => ({ name: entry, value: variablePath(variable, [entry]) }))
}

/** Reports further problems of the ruleset, such as cells of another type than their column. */
function reportProblems(
  draft: DraftRuleset,
  order: readonly Decision[],
  built: ReadonlyMap<Decision, BuiltDecision>,
  report: DmnReport,
): void {
  const errors = errorsOf(draft)
  const [first] = order
  if (errors === undefined && first !== undefined) report.warn(first.element, [first.id], unchecked)
  for (const problem of errors ?? [])
    if (!LOST.has(problem.code)) report.losses.add(placed(problem, draft, order, built, report))
}

/** Problems of a placeholder, whose loss was already reported. */
const LOST: ReadonlySet<string> = new Set(['unknown-function'])

function placed(
  { path, code, message, severity }: Problem,
  { steps }: DraftRuleset,
  order: readonly Decision[],
  built: ReadonlyMap<Decision, BuiltDecision>,
  report: DmnReport,
): Problem {
  const [, , step = '', list, row = ''] = path.split('/')
  const id = steps[Number(step)]?.id ?? ''
  const decision = order.find((one) => built.get(one)?.steps.some((own) => own.id === id))
  const ofRow = list === 'rows' && decision ? built.get(decision)?.rowPlace(id, Number(row)) : undefined
  const where = ofRow ?? (decision ? report.where(decision.element, decision.id) : { path: '' })
  return { ...where, code, message, severity }
}
