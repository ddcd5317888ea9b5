import { FeelFault } from '../feel/ast.ts'
import type { FeelExpression, FeelType } from '../feel/constant/ast.ts'
import { builtin, builtinNames } from '../feel/constant/builtins.ts'
import { Evaluator, hiding, type Lookup } from '../feel/constant/evaluator.ts'
import { itemsOf } from '../feel/constant/items.ts'
import { KnownNames, parseConstant, parseType } from '../feel/constant/parser.ts'
import { coerced, type ItemType } from '../feel/constant/types.ts'
import {
  type FeelFunction,
  type FeelValue,
  isContext,
  isList,
  isKind,
  kindOf,
  NotConstant,
} from '../feel/constant/value.ts'
import type { XmlElement } from '../xml/tree.ts'
import {
  childOf,
  childrenOf,
  type Decision,
  type DecisionService,
  type Definitions,
  LOGIC,
  referencesIn,
  textOf,
} from './definitions.ts'
import { foreignLanguageOf } from './language.ts'
import type { MergedModel } from './merged-model.ts'

/** Elements that declare names. */
const NAMED: ReadonlySet<string> = new Set([
  'variable',
  'inputData',
  'decision',
  'businessKnowledgeModel',
  'decisionService',
  'formalParameter',
  'itemComponent',
  'column',
  'output',
  'parameter',
  'itemDefinition',
])

/** State shared by the models of one document. */
interface Shared {
  readonly known: KnownNames
  readonly parsed: Map<XmlElement, FeelExpression>
  readonly evaluator: Evaluator
}

/** Results of decisions by id, and inputs by name, that replace those of the model. */
interface Given {
  readonly decisions: ReadonlyMap<string, FeelValue | NotConstant>
  readonly inputs: ReadonlyMap<string, FeelValue>
}

const NOTHING_GIVEN: Given = { decisions: new Map(), inputs: new Map() }

/**
 * The decisions of a model whose value does not depend on its input. They are evaluated at import, with everything they
 * require, by the semantics of DMN 1.5; any other decision throws `NotConstant`.
 */
export class ConstantModel {
  readonly #model: MergedModel
  readonly #root: XmlElement
  readonly #definitions: Definitions
  readonly #knowledge = new Map<string, XmlElement>()
  readonly #types = new Map<string, XmlElement>()
  readonly #values = new Map<Decision, FeelValue | NotConstant>()
  readonly #shared: Shared
  readonly #given: Given

  constructor(model: MergedModel, definitions: Definitions, shared?: Shared, given: Given = NOTHING_GIVEN) {
    const { root } = model
    this.#model = model
    this.#root = root
    this.#definitions = definitions
    this.#given = given
    this.#shared = shared ?? {
      known: new KnownNames(builtinNames()),
      parsed: new Map(),
      evaluator: new Evaluator((name) => this.#itemType(name), builtin),
    }
    for (const element of root.children) {
      if (element.local === 'businessKnowledgeModel') this.#knowledge.set(element.attributes.get('id') ?? '', element)
      if (element.local === 'itemDefinition') this.#types.set(element.attributes.get('name') ?? '', element)
    }
    if (shared !== undefined) return
    const open = [root]
    for (let element = open.pop(); element !== undefined; element = open.pop()) {
      const name = NAMED.has(element.local)
        ? element.attributes.get('name')
        : element.attributes.get('iteratorVariable')
      if (name !== undefined && element !== root) this.#shared.known.add(name.trim())
      open.push(...element.children)
    }
  }

  /** The model in which the results of these decisions are inputs. */
  without(decisions: ReadonlySet<string>): ConstantModel {
    const reason = new NotConstant('its result is given')
    const given = new Map(Array.from(decisions, (id) => [id, reason] as const))
    return new ConstantModel(this.#model, this.#definitions, this.#shared, { decisions: given, inputs: new Map() })
  }

  /** The value of a decision. Throws `NotConstant`. */
  valueOf(decision: Decision): FeelValue {
    const known = this.#values.get(decision)
    if (known instanceof NotConstant) throw known
    if (known !== undefined) return known
    this.#values.set(decision, new NotConstant('it requires itself'))
    try {
      const logic = this.#logicIn(decision.element)
      const value = this.#coerced(this.#boxed(logic, this.#scopeOf(decision.element)), decision.type)
      this.#values.set(decision, value)
      return value
    } catch (error) {
      const reason =
        error instanceof NotConstant
          ? error
          : error instanceof FeelFault
            ? new NotConstant(error.message)
            : error instanceof RangeError
              ? new NotConstant('it is nested too deeply')
              : undefined
      if (reason === undefined) throw error
      this.#values.set(decision, reason)
      throw reason
    }
  }

  #coerced(value: FeelValue, reference: string | undefined): FeelValue {
    return coerced(value, typeNamed(reference), this.#shared.evaluator.types)
  }

  #logicIn(element: XmlElement): XmlElement {
    const [logic] = this.#logicsIn(element)
    if (logic === undefined) throw new NotConstant('it has no logic')
    return logic
  }

  #logicsIn(element: XmlElement): readonly XmlElement[] {
    return element.children.filter(({ local, uri }) => LOGIC.has(local) && uri === this.#root.uri)
  }

  /** The names that an element requires. */
  #scopeOf(element: XmlElement): Lookup {
    const names = new Map<string, () => FeelValue>()
    const add = (prefix: string, name: string, value: () => FeelValue) => {
      this.#shared.known.add(`${prefix}${name}`)
      names.set(`${prefix}${name}`, value)
    }
    const required = (requirement: string, kind: string) =>
      childrenOf(element, requirement).flatMap((one) => referencesIn(one, kind, this.#model))
    for (const { id, prefix } of required('informationRequirement', 'requiredDecision')) {
      const decision = this.#definitions.decisions.get(id)
      if (decision === undefined) continue
      add(prefix, decision.name, () => (this.#given.decisions.has(id) ? this.#givenValue(id) : this.valueOf(decision)))
    }
    for (const { id, prefix } of required('knowledgeRequirement', 'requiredKnowledge')) {
      const service = this.#definitions.services.get(id)
      if (service !== undefined) add(prefix, service.name, () => this.#service(service))
      const model = this.#knowledge.get(id)
      if (model === undefined) continue
      const name = childOf(model, 'variable')?.attributes.get('name') ?? model.attributes.get('name') ?? ''
      add(prefix, name.trim(), () => this.#knowledgeModel(model))
    }
    const inputs = new Set(
      this.#root.children.flatMap((one) =>
        one.local === 'inputData'
          ? [(childOf(one, 'variable')?.attributes.get('name') ?? one.attributes.get('name') ?? '').trim()]
          : [],
      ),
    )
    return (name) => {
      const found = names.get(name)
      if (found !== undefined) return found()
      const given = this.#given.inputs.get(name)
      if (given !== undefined) return given
      if (inputs.has(name)) throw new NotConstant(`it reads the input ${name}`)
      return undefined
    }
  }

  #givenValue(id: string): FeelValue {
    const value = this.#given.decisions.get(id) ?? null
    if (value instanceof NotConstant) throw value
    return value
  }

  /** A decision service as a function of its input data and input decisions, in the order of the standard. */
  #service(service: DecisionService): FeelFunction {
    const { decisions, inputs } = this.#definitions
    const ofData = service.inputData.flatMap((id) => inputs.get(id) ?? [])
    const ofDecisions = service.inputDecisions.flatMap((id) => decisions.get(id) ?? [])
    const parameters = [...ofData, ...ofDecisions].map(({ name, type }) => ({ name, type: typeNamed(type) }))
    const call = (lookup: Lookup): FeelValue => {
      const valueOf = ({ name }: { readonly name: string }): FeelValue => lookup(name) ?? null
      const model = new ConstantModel(this.#model, this.#definitions, this.#shared, {
        decisions: new Map(ofDecisions.map((decision) => [decision.id, valueOf(decision)])),
        inputs: new Map(ofData.map((data) => [data.name, valueOf(data)])),
      })
      const results = service.outputs.map((id): readonly [string, FeelValue] => {
        const output = decisions.get(id)
        if (output === undefined) throw new NotConstant('a decision of another model')
        return [output.name, model.valueOf(output)]
      })
      const [only] = results
      return only !== undefined && results.length === 1 ? only[1] : new Map(results)
    }
    return this.#shared.evaluator.closure(parameters, typeNamed(service.type), call, () => undefined)
  }

  #knowledgeModel(model: XmlElement): FeelValue {
    const logic = childOf(model, 'encapsulatedLogic')
    if (logic === undefined) throw new NotConstant('a knowledge model without logic')
    return this.#function(logic, this.#scopeOf(model), childOf(model, 'variable')?.attributes.get('typeRef'))
  }

  #function(element: XmlElement, around: Lookup, result?: string): FeelFunction {
    if ((element.attributes.get('kind') ?? 'FEEL') !== 'FEEL') throw new NotConstant('a function that is not of FEEL')
    const parameters = childrenOf(element, 'formalParameter').map(({ attributes }) => ({
      name: (attributes.get('name') ?? '').trim(),
      type: typeNamed(attributes.get('typeRef')),
    }))
    const resultType = typeNamed(result)
    const body = this.#logicIn(element)
    return this.#shared.evaluator.closure(
      parameters,
      resultType?.kind === 'named' && this.#isFunctionType(resultType.name) ? undefined : resultType,
      (lookup) => this.#boxed(body, lookup),
      around,
    )
  }

  #isFunctionType(name: string): boolean {
    const item = this.#types.get(name)
    return item !== undefined && childOf(item, 'functionItem') !== undefined
  }

  #boxed(element: XmlElement, lookup: Lookup): FeelValue {
    const part = (name: string) => {
      const found = childOf(element, name)
      if (found === undefined) throw new NotConstant(`a boxed expression without ${name}`)
      return this.#logicIn(found)
    }
    switch (element.local) {
      case 'literalExpression':
        return this.#coerced(this.#literal(element, lookup), element.attributes.get('typeRef'))
      case 'context':
        return this.#context(element, lookup)
      case 'invocation':
        return this.#invocation(element, lookup)
      case 'functionDefinition':
        return this.#function(element, lookup)
      case 'list':
        return this.#logicsIn(element).map((one) => this.#boxed(one, lookup))
      case 'relation': {
        const columns = childrenOf(element, 'column').map(({ attributes }) => attributes.get('name') ?? '')
        return childrenOf(element, 'row').map((row) => {
          const cells = this.#logicsIn(row).map((cell) => this.#boxed(cell, lookup))
          return new Map(columns.map((name, index) => [name, cells[index] ?? null]))
        })
      }
      case 'conditional': {
        const condition = this.#boxed(part('if'), lookup)
        if (condition !== null && typeof condition !== 'boolean') return null
        return this.#boxed(part(condition === true ? 'then' : 'else'), lookup)
      }
      case 'filter': {
        const given = this.#boxed(part('in'), lookup)
        const list = given === null ? [] : isList(given) ? given : [given]
        return this.#shared.evaluator.filtered(list, (inner) => this.#boxed(part('match'), inner), lookup)
      }
      case 'for':
        return this.#shared.evaluator.iterated(
          [this.#iterator(element, part('in'))],
          (inner) => this.#boxed(part('return'), inner),
          lookup,
        )
      case 'some':
      case 'every':
        return this.#shared.evaluator.quantified(
          element.local,
          [this.#iterator(element, part('in'))],
          (inner) => this.#boxed(part('satisfies'), inner),
          lookup,
        )
      default:
        throw new NotConstant(`the boxed expression ${element.local}`)
    }
  }

  #iterator(element: XmlElement, list: XmlElement) {
    const name = element.attributes.get('iteratorVariable') ?? ''
    return { name, items: (lookup: Lookup) => itemsOf(this.#boxed(list, lookup)) }
  }

  #literal(element: XmlElement, lookup: Lookup): FeelValue {
    if (foreignLanguageOf(element) !== undefined) throw new NotConstant('another language')
    const text = textOf(element)
    if (text === '') throw new NotConstant('an expression without a text')
    const parsed = this.#shared.parsed.get(element) ?? parseConstant(text, this.#shared.known)
    this.#shared.parsed.set(element, parsed)
    return this.#shared.evaluator.evaluate(parsed, lookup)
  }

  #context(element: XmlElement, lookup: Lookup): FeelValue {
    const found = new Map<string, FeelValue>()
    for (const entry of childrenOf(element, 'contextEntry')) {
      const variable = childOf(entry, 'variable')
      const value = this.#boxed(this.#logicIn(entry), hiding(found, lookup))
      if (variable === undefined) return value
      const name = (variable.attributes.get('name') ?? '').trim()
      const type = variable.attributes.get('typeRef')
      found.set(name, kindOf(value) === 'function' ? value : this.#coerced(value, type))
    }
    return found
  }

  #invocation(element: XmlElement, lookup: Lookup): FeelValue {
    const target = this.#boxed(this.#logicIn(element), lookup)
    if (!isKind(target, 'function')) return null
    const { parameters, call } = target
    const given = new Map(
      childrenOf(element, 'binding').map((binding): [string, FeelValue] => {
        const name = (childOf(binding, 'parameter')?.attributes.get('name') ?? '').trim()
        const [logic] = this.#logicsIn(binding)
        return [name, logic === undefined ? null : this.#boxed(logic, lookup)]
      }),
    )
    if ([...given.keys()].some((name) => parameters.every((one) => one.name !== name))) return null
    return call(parameters.map(({ name }) => given.get(name) ?? null))
  }

  /** The type of an item definition. */
  #itemType(name: string): ItemType | undefined {
    const element = this.#types.get(name) ?? this.#types.get(name.replace(/^.*[.:]/, ''))
    return element === undefined ? undefined : this.#typeOf(element)
  }

  #typeOf(element: XmlElement): ItemType {
    if (childOf(element, 'functionItem') !== undefined) throw new NotConstant('a type of functions')
    const components = childrenOf(element, 'itemComponent')
    const reference = childrenOf(element, 'typeRef')[0]?.text.trim()
    const own: FeelType =
      components.length > 0
        ? {
            kind: 'context',
            members: components.map((one) => [one.attributes.get('name') ?? '', this.#typeOf(one).type] as const),
          }
        : (typeNamed(reference) ?? { kind: 'named', name: 'Any' })
    const isCollection = element.attributes.get('isCollection') === 'true'
    const type: FeelType = isCollection ? { kind: 'list', items: own } : own
    const allowed = childOf(element, 'allowedValues')
    if (components.some((one) => childOf(one, 'allowedValues') !== undefined))
      throw new NotConstant('allowed values of members')
    if ([element, ...components].some((one) => childOf(one, 'typeConstraint') !== undefined))
      throw new NotConstant('a type constraint')
    if (allowed === undefined) return { type, isAllowed: undefined }
    const tests = parseConstant(`? in (${textOf(allowed)})`.replace('?', '_tested'), this.#shared.known)
    const isAllowed = (value: FeelValue): boolean =>
      isCollection && isList(value)
        ? value.every(isAllowed)
        : this.#shared.evaluator.evaluate(tests, (name) => (name === '_tested' ? value : undefined)) === true
    return { type, isAllowed }
  }
}

/** Throws `FeelFault`. */
function typeNamed(reference: string | undefined): FeelType | undefined {
  const name =
    reference
      ?.trim()
      .replace(/^feel[:.]/, '')
      .replace(/^.*}/, '') ?? ''
  if (name === '' || name === 'Any') return undefined
  return /[<>]/.test(name) ? parseType(name) : { kind: 'named', name }
}

/** Names of the entries of a context; undefined for other values. */
export const entriesOf = (value: FeelValue): readonly string[] | undefined =>
  isContext(value) && value.size > 0 && !value.has('') ? [...value.keys()] : undefined
