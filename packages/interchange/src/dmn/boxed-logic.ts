import { quote } from '@engine/expression'
import { type Feel, FeelFault } from '../feel/ast.ts'
import { ExpansionBudget, type ModelFunction, shapeOfFeel } from '../feel/expansion.ts'
import { filterOver, iterationOver, requireCondition } from '../feel/iteration.ts'
import { parseFeel } from '../feel/parser.ts'
import { type FeelName, FeelScope } from '../feel/scope.ts'
import { isOfShape, shapeAt, typeOfShape } from '../feel/shape.ts'
import type { XmlElement } from '../xml/tree.ts'
import { childOf, childrenOf, LOGIC, referredIn, textOf } from './definitions.ts'
import { tableExpression } from './table-function.ts'
import type { Types } from './types.ts'

/** Calls of functions within each other. */
const MAX_CALLS = 20

/**
 * Boxed expressions and business knowledge models as one FEEL expression: calls are replaced by the bodies of functions,
 * and names of entries and parameters by their expressions.
 */
export class BoxedLogic {
  readonly #root: XmlElement
  readonly #types: Types
  readonly #members: ReadonlySet<string>
  readonly #knowledge = new Map<string, XmlElement>()
  readonly #budget = new ExpansionBudget()
  /** The functions that are being expanded. */
  readonly #open: XmlElement[] = []

  constructor(root: XmlElement, types: Types, members: ReadonlySet<string>) {
    this.#root = root
    this.#types = types
    this.#members = members
    for (const element of childrenOf(root, 'businessKnowledgeModel'))
      this.#knowledge.set(element.attributes.get('id') ?? '', element)
  }

  /**
   * The business knowledge models that a decision or another one requires.
   *
   * @param outer the scope of the decision: types of the arguments are known there
   */
  functionsOf(element: XmlElement, outer: () => FeelScope): ReadonlyMap<string, ModelFunction> {
    const functions = new Map<string, ModelFunction>()
    for (const requirement of childrenOf(element, 'knowledgeRequirement')) {
      const [id = ''] = referredIn(requirement, 'requiredKnowledge', this.#root)
      const model = this.#knowledge.get(id)
      if (model === undefined) continue
      const variable = childOf(model, 'variable')
      const name = (variable?.attributes.get('name') ?? model.attributes.get('name') ?? '').trim()
      const logic = childOf(model, 'encapsulatedLogic')
      if (logic === undefined) continue
      const around = () => new FeelScope([], this.#members, this.functionsOf(model, outer), true)
      functions.set(name, this.#functionOf(name, logic, variable?.attributes.get('typeRef'), around, outer))
    }
    return functions
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
        const [condition, consequent, alternate] = ['if', 'then', 'else'].map((part) =>
          this.feelOf(logicOf(childOf(element, part)), scope, outer),
        )
        if (condition === undefined || consequent === undefined || alternate === undefined) throw noLogic()
        return { kind: 'if', condition, consequent, alternate }
      }
      case 'list':
        return { kind: 'list', items: logicsOf(element).map((item) => this.feelOf(item, scope, outer)) }
      case 'relation': {
        const columns = childrenOf(element, 'column').map(({ attributes }) => attributes.get('name') ?? '')
        const rowOf = (row: XmlElement): Feel => {
          const cells = logicsOf(row)
          if (cells.length !== columns.length)
            throw new FeelFault('a row of the relation has other cells than columns', 0)
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
        const { parameter, scope: inner } = filterOver(list, scope, 0)
        const test = this.feelOf(logicOf(childOf(element, 'match')), inner, outer)
        requireCondition(test, inner, 0)
        return { kind: 'filter', parameter, list, test }
      }
      case 'for':
      case 'some':
      case 'every': {
        const { local } = element
        const list = this.feelOf(logicOf(childOf(element, 'in')), scope, outer)
        const variable = (element.attributes.get('iteratorVariable') ?? '').trim()
        const { parameter, scope: inner } = iterationOver(list, variable, scope, 0)
        const body = this.feelOf(logicOf(childOf(element, local === 'for' ? 'return' : 'satisfies')), inner, outer)
        if (local === 'for') return { kind: 'each', parameter, list, body }
        requireCondition(body, inner, 0)
        return { kind: 'quantified', quantifier: local, parameter, list, test: body }
      }
      default:
        throw new FeelFault(`the boxed expression ${quote(element.local)} is not supported`, 0)
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
      expand: (args, offset) => {
        if ((element.attributes.get('kind') ?? 'FEEL') !== 'FEEL')
          throw new FeelFault(`the function ${quote(name)} is not written in FEEL`, offset)
        if (this.#open.includes(element)) throw new FeelFault(`the function ${quote(name)} calls itself`, offset)
        if (this.#open.length === MAX_CALLS)
          throw new FeelFault(`functions call each other more than ${MAX_CALLS} levels deep`, offset)
        this.#open.push(element)
        try {
          const bound = declared.map(({ attributes }, index): FeelName => {
            const value = this.#typed(args[index] ?? NULL, attributes.get('typeRef'), outer())
            return boundName(parameters[index] ?? '', value, outer())
          })
          const body = this.feelOf(logicOf(element), around().with(bound), outer())
          return this.#budget.charge(this.#typed(body, result, outer()), offset)
        } finally {
          this.#open.pop()
        }
      },
    }
  }

  #invocation(element: XmlElement, scope: FeelScope, outer: FeelScope): Feel {
    const target = logicsOf(element)[0]
    const name = target?.local === 'literalExpression' ? textOf(target) : ''
    const invoked = scope.functionNamed(name)
    if (invoked === undefined) throw new FeelFault(`the function ${quote(name)} is not supported`, 0)
    const bindings = new Map(
      childrenOf(element, 'binding').map((binding) => [
        (childOf(binding, 'parameter')?.attributes.get('name') ?? '').trim(),
        logicsOf(binding)[0],
      ]),
    )
    for (const bound of bindings.keys())
      if (!invoked.parameters.includes(bound))
        throw new FeelFault(`the function ${quote(name)} has no parameter ${quote(bound)}`, 0)
    const args = invoked.parameters.map((parameter) => {
      const logic = bindings.get(parameter)
      return logic === undefined ? NULL : this.feelOf(logic, scope, outer)
    })
    return invoked.expand(args, 0)
  }

  /** Each entry reads those before it; an entry without a name is the result. */
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
      const value = this.#typed(this.feelOf(logic, inner, outer), variable?.attributes.get('typeRef'), outer)
      this.#budget.charge(value, 0)
      if (variable === undefined) return value
      if (entries.some(([other]) => other === name))
        throw new FeelFault(`the context has the entry ${quote(name)} twice`, 0)
      entries.push([name, value])
      inner = inner.with([boundName(name, value, outer)])
    }
    return { kind: 'context', entries }
  }

  /** FEEL makes null of a value that has not the declared type: only values that have it are converted. */
  #typed(value: Feel, reference: string | undefined, outer: FeelScope): Feel {
    const local = reference?.trim().replace(/^.*[:}.]/, '') ?? ''
    if (local === '' || local === 'Any' || (value.kind === 'literal' && value.value === null)) return value
    if (isOfShape(shapeOfFeel(value, outer.shapeOf), this.#types.shapeOf(reference))) return value
    if (value.kind === 'path' && value.members.length === 0 && outer.named(value.name)?.reference === reference)
      return value
    throw new FeelFault(`whether a value has the type ${quote(local)} is not known at import`, 0)
  }
}

const NULL: Feel = { kind: 'literal', value: null }

function boundName(name: string, value: Feel, outer: FeelScope): FeelName {
  const shapeOf = (members: readonly string[]) => shapeAt(shapeOfFeel(value, outer.shapeOf), members)
  return {
    name,
    target: { kind: 'bound', value },
    shapeOf,
    typeOf: (members) => typeOfShape(shapeOf(members)),
    items: undefined,
  }
}

function literalOf(element: XmlElement, scope: FeelScope): Feel {
  const language = element.attributes.get('expressionLanguage')
  if (language !== undefined && !/feel/i.test(language)) throw new FeelFault(`the language ${quote(language)}`, 0)
  const text = textOf(element)
  try {
    return parseFeel(text, scope)
  } catch (error) {
    if (!(error instanceof FeelFault)) throw error
    throw new FeelFault(`in ${quote(text.slice(0, 100))}, ${error.message}`, error.offset)
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

const noLogic = () => new FeelFault('a boxed expression has a part without logic', 0)
