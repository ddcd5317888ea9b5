import { quote } from '@engine/expression'
import { type Feel, FeelFault } from '../feel/ast.ts'
import { ExpansionBudget, type ModelFunction, shapeOfFeel } from '../feel/expansion.ts'
import { filterOver, iterationOver, requireCondition } from '../feel/iteration.ts'
import { parseFeel } from '../feel/parser.ts'
import { boundName, type FeelName, FeelScope } from '../feel/scope.ts'
import { isOfShape } from '../feel/shape.ts'
import type { XmlElement } from '../xml/tree.ts'
import {
  childOf,
  childrenOf,
  type Decision,
  type DecisionService,
  type Definitions,
  type InputData,
  LOGIC,
  type Reference,
  referencesIn,
  textOf,
} from './definitions.ts'
import { foreignLanguageOf } from './language.ts'
import type { MergedModel } from './merged-model.ts'
import { tableExpression } from './table-function.ts'

/** Maximum depth of nested function calls. */
const MAX_CALLS = 20

/**
 * Converts boxed expressions and business knowledge models to one FEEL expression: calls are replaced by the bodies of
 * functions, and names of entries and parameters by their expressions.
 */
export class BoxedLogic {
  readonly #model: MergedModel
  readonly #definitions: Definitions
  readonly #knowledge = new Map<string, XmlElement>()
  readonly #budget = new ExpansionBudget()
  /** The functions that are being expanded. */
  readonly #open: XmlElement[] = []
  #unchecked = new Set<string>()

  constructor(model: MergedModel, definitions: Definitions) {
    this.#model = model
    this.#definitions = definitions
    for (const element of childrenOf(model.root, 'businessKnowledgeModel'))
      this.#knowledge.set(element.attributes.get('id') ?? '', element)
  }

  /**
   * The business knowledge models and decision services that a decision or a business knowledge model requires.
   *
   * @param outer the scope of the decision: types of the arguments are known there
   */
  functionsOf(element: XmlElement, outer: () => FeelScope): ReadonlyMap<string, ModelFunction> {
    const functions = new Map<string, ModelFunction>()
    for (const { id, prefix } of this.#requiredIn(element)) {
      const service = this.#definitions.services.get(id)
      if (service !== undefined) functions.set(`${prefix}${service.name}`, this.#serviceOf(service, outer))
      const model = this.#knowledge.get(id)
      if (model === undefined) continue
      const variable = childOf(model, 'variable')
      const name = (variable?.attributes.get('name') ?? model.attributes.get('name') ?? '').trim()
      const logic = childOf(model, 'encapsulatedLogic')
      if (logic === undefined) continue
      const around = () => this.#closedScope([], model, outer)
      functions.set(
        `${prefix}${name}`,
        this.#functionOf(name, logic, variable?.attributes.get('typeRef'), around, outer),
      )
    }
    return functions
  }

  #requiredIn(element: XmlElement): readonly Reference[] {
    return childrenOf(element, 'knowledgeRequirement').flatMap((requirement) =>
      referencesIn(requirement, 'requiredKnowledge', this.#model),
    )
  }

  /** The names of an element that does not read inputs of its caller. */
  #closedScope(names: Iterable<FeelName>, element: XmlElement, outer: () => FeelScope): FeelScope {
    return new FeelScope(names, this.#definitions.members, this.functionsOf(element, outer), true, outer())
  }

  /**
   * A decision service as a function of its input data, then of its input decisions: the results of the decisions are
   * substituted for each other.
   */
  #serviceOf(service: DecisionService, outer: () => FeelScope): ModelFunction {
    const { decisions, inputs } = this.#definitions
    const given = [
      ...service.inputData.map((id) => [id, inputs.get(id)] as const),
      ...service.inputDecisions.map((id) => [id, decisions.get(id)] as const),
    ]
    return {
      parameters: given.map(([, part]) => part?.name ?? ''),
      expand: (args) =>
        this.#entered(service.element, service.name, () => {
          const known = new Map(
            given.map(([id, part], index): [string, Feel] => [
              id,
              this.#typed(this.#budget.checked(args[index] ?? NULL), part?.type, outer(), part?.name),
            ]),
          )
          const results = service.outputs.map((id): readonly [string, Feel] => [
            decisions.get(id)?.name ?? '',
            this.#resultOf({ id, prefix: '' }, known, outer),
          ])
          const [only] = results
          const result: Feel =
            only !== undefined && results.length === 1 ? only[1] : { kind: 'context', entries: results }
          return this.#budget.charge(this.#typed(result, service.type, outer(), service.name))
        }),
    }
  }

  /** The value of a decision within a service. `known`: values of input data and decisions by id. */
  #resultOf({ id }: Reference, known: Map<string, Feel>, outer: () => FeelScope): Feel {
    const value = known.get(id)
    if (value !== undefined) return value
    const decision = this.#definitions.decisions.get(id)
    if (decision === undefined) throw new FeelFault(`the decision ${quote(id)} is not in this document`)
    const { element, type } = decision
    return this.#entered(element, decision.name, () => {
      const scope = this.#closedScope(this.#namesWithin(decision, known, outer), element, outer)
      const result = this.#budget.charge(
        this.#typed(this.feelOf(logicOf(element), scope, outer()), type, outer(), decision.name),
      )
      known.set(id, result)
      return result
    })
  }

  /**
   * The names that a decision of a service requires; input data that are not parameters of the service are out of
   * scope.
   */
  #namesWithin({ inputs, decisions }: Decision, known: Map<string, Feel>, outer: () => FeelScope): readonly FeelName[] {
    const bound = ({ prefix }: Reference, part: InputData | undefined, value: Feel) =>
      boundName(`${prefix}${part?.name ?? ''}`, value, outer())
    return [
      ...inputs.flatMap((reference) => {
        const value = known.get(reference.id)
        return value === undefined ? [] : [bound(reference, this.#definitions.inputs.get(reference.id), value)]
      }),
      ...decisions.map((reference) =>
        bound(reference, this.#definitions.decisions.get(reference.id), this.#resultOf(reference, known, outer)),
      ),
    ]
  }

  /** Types with allowed values that have not been checked since the last call. */
  takeUnchecked(): ReadonlySet<string> {
    const found = this.#unchecked
    this.#unchecked = new Set()
    return found
  }

  /** Expands a part that must not contain itself. Errors within it name it. */
  #entered(element: XmlElement, name: string, expand: () => Feel): Feel {
    if (this.#open.includes(element)) throw new FeelFault(`the function ${quote(name)} calls itself`)
    if (this.#open.length === MAX_CALLS)
      throw new FeelFault(`functions call each other more than ${MAX_CALLS} levels deep`)
    this.#open.push(element)
    try {
      return expand()
    } catch (error) {
      if (!(error instanceof FeelFault)) throw error
      throw new FeelFault(`in ${quote(name)}, ${error.message}`)
    } finally {
      this.#open.pop()
    }
  }

  /** A boxed expression as FEEL. Throws `FeelFault`. */
  feelOf(element: XmlElement, scope: FeelScope, outer: FeelScope = scope): Feel {
    switch (element.local) {
      case 'literalExpression':
        return this.#typed(literalOf(element, scope), element.attributes.get('typeRef'), outer)
      case 'invocation':
        return this.#invocation(element, scope, outer)
      case 'context':
        return this.#context(element, scope, outer)
      case 'conditional': {
        const part = (name: string) => this.feelOf(logicOf(childOf(element, name)), scope, outer)
        return { kind: 'if', condition: part('if'), consequent: part('then'), alternate: part('else') }
      }
      case 'list':
        return { kind: 'list', items: logicsOf(element).map((item) => this.feelOf(item, scope, outer)) }
      case 'relation': {
        const columns = childrenOf(element, 'column').map(({ attributes }) => attributes.get('name') ?? '')
        const rowOf = (row: XmlElement): Feel => {
          const cells = logicsOf(row)
          if (cells.length !== columns.length) throw new FeelFault('a row of the relation has other cells than columns')
          const entries = cells.map((cell, index) => [columns[index] ?? '', this.feelOf(cell, scope, outer)] as const)
          return { kind: 'context', entries }
        }
        return { kind: 'list', items: childrenOf(element, 'row').map(rowOf) }
      }
      case 'decisionTable': {
        const name = element.attributes.get('outputLabel') ?? 'decision table'
        return this.#typed(tableExpression(element, name, scope), element.attributes.get('typeRef'), outer)
      }
      case 'filter': {
        const list = this.feelOf(logicOf(childOf(element, 'in')), scope, outer)
        const { parameter, scope: inner } = filterOver(list, scope)
        const test = this.feelOf(logicOf(childOf(element, 'match')), inner, outer)
        requireCondition(test, inner)
        return { kind: 'filter', parameter, list, test }
      }
      case 'for':
      case 'some':
      case 'every': {
        const { local } = element
        const list = this.feelOf(logicOf(childOf(element, 'in')), scope, outer)
        const variable = (element.attributes.get('iteratorVariable') ?? '').trim()
        const { parameter, scope: inner } = iterationOver(list, variable, scope)
        const body = this.feelOf(logicOf(childOf(element, local === 'for' ? 'return' : 'satisfies')), inner, outer)
        if (local === 'for') return { kind: 'each', parameter, list, body }
        requireCondition(body, inner)
        return { kind: 'quantified', quantifier: local, parameter, list, test: body }
      }
      default:
        throw new FeelFault(`the boxed expression ${quote(element.local)} is not supported`)
    }
  }

  #functionOf(
    name: string,
    element: XmlElement,
    result: string | undefined,
    around: () => FeelScope,
    outer: () => FeelScope,
  ): ModelFunction {
    const declared = childrenOf(element, 'formalParameter')
    const parameters = declared.map(({ attributes }) => (attributes.get('name') ?? '').trim())
    return {
      parameters,
      expand: (args) => {
        if ((element.attributes.get('kind') ?? 'FEEL') !== 'FEEL')
          throw new FeelFault(`the function ${quote(name)} is not written in FEEL`)
        return this.#entered(element, name, () => {
          const bound = declared.map(({ attributes }, index): FeelName => {
            const value = this.#typed(
              this.#budget.checked(args[index] ?? NULL),
              attributes.get('typeRef'),
              outer(),
              parameters[index],
            )
            return boundName(parameters[index] ?? '', value, outer())
          })
          const body = this.feelOf(logicOf(element), around().with(bound), outer())
          return this.#budget.charge(this.#typed(body, result, outer(), name))
        })
      },
    }
  }

  #invocation(element: XmlElement, scope: FeelScope, outer: FeelScope): Feel {
    const name = textOf(logicsOf(element)[0])
    const invoked = scope.functionNamed(name)
    if (invoked === undefined) throw new FeelFault(`the function ${quote(name)} is not supported`)
    const bindings = new Map(
      childrenOf(element, 'binding').map((binding) => [
        (childOf(binding, 'parameter')?.attributes.get('name') ?? '').trim(),
        logicsOf(binding)[0],
      ]),
    )
    for (const bound of bindings.keys())
      if (!invoked.parameters.includes(bound))
        throw new FeelFault(`the function ${quote(name)} has no parameter ${quote(bound)}`)
    const args = invoked.parameters.map((parameter) => {
      const logic = bindings.get(parameter)
      return logic === undefined ? NULL : this.feelOf(logic, scope, outer)
    })
    return invoked.expand(args)
  }

  /** Each entry can read the preceding ones; an entry without a name is the result. */
  #context(element: XmlElement, scope: FeelScope, outer: FeelScope): Feel {
    const entries: (readonly [string, Feel])[] = []
    let inner = scope
    for (const entry of childrenOf(element, 'contextEntry')) {
      const variable = childOf(entry, 'variable')
      const logic = logicOf(entry)
      const name = (variable?.attributes.get('name') ?? '').trim()
      if (logic.local === 'functionDefinition') {
        const around = inner
        inner = inner.with(
          [],
          new Map([
            [
              name,
              this.#functionOf(
                name,
                logic,
                undefined,
                () => around,
                () => outer,
              ),
            ],
          ]),
        )
        continue
      }
      const value = this.#typed(this.feelOf(logic, inner, outer), variable?.attributes.get('typeRef'), outer, name)
      this.#budget.charge(value)
      if (variable === undefined) return value
      if (entries.some(([other]) => other === name))
        throw new FeelFault(`the context has the entry ${quote(name)} twice`)
      entries.push([name, value])
      inner = inner.with([boundName(name, value, outer)])
    }
    return { kind: 'context', entries }
  }

  /**
   * FEEL turns a value of another type than the declared one into null: only values of the declared type are converted.
   *
   * @param name name of the part that declares the type
   */
  #typed(value: Feel, reference: string | undefined, outer: FeelScope, name = ''): Feel {
    const local = reference?.trim().replace(/^.*[:}.]/, '') ?? ''
    if (local === '' || local === 'Any' || (value.kind === 'literal' && value.value === null)) return value
    const { types } = this.#definitions
    if (types.restrictionsOf(reference).length > 0) this.#unchecked.add(local)
    if (isOfShape(shapeOfFeel(value, outer.shapeOf), types.shapeOf(reference))) return value
    if (value.kind === 'path' && value.members.length === 0 && outer.named(value.name)?.reference === reference)
      return value
    const what = name === '' ? 'a value' : quote(name)
    throw new FeelFault(
      `whether ${what} has the type ${quote(local)} is not known at import: declare the types of its operands`,
    )
  }
}

const NULL: Feel = { kind: 'literal', value: null }

function literalOf(element: XmlElement, scope: FeelScope): Feel {
  const language = foreignLanguageOf(element)
  if (language !== undefined) throw new FeelFault(`the language ${quote(language)}`)
  const text = textOf(element)
  try {
    return parseFeel(text, scope)
  } catch (error) {
    if (!(error instanceof FeelFault)) throw error
    throw new FeelFault(`in ${quote(text.slice(0, 100))}, ${error.message}`)
  }
}

function logicsOf(element: XmlElement): readonly XmlElement[] {
  return element.children.filter(({ local, uri }) => LOGIC.has(local) && uri === element.uri)
}

function logicOf(element: XmlElement | undefined): XmlElement {
  const logic = element === undefined ? undefined : logicsOf(element)[0]
  if (logic === undefined) throw noLogic()
  return logic
}

const noLogic = () => new FeelFault('a boxed expression has a part without logic')
