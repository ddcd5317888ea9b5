import { exceededLimit, isNumber, MAX_DIGITS, orderOf, stringifyJson, type Value } from '@engine/expression'
import { at, type Place } from '@engine/ruleset'
import { below, fieldPath } from '../place.ts'
import { sameValue } from '../same-value.ts'
import { messages, type Problem, Report } from '../problem.ts'
import { anything, flag, listOf, number, record, text } from '../shape.ts'
import { conceptOf, type Concepts, factTypeFor, hasType, NO_CONCEPTS, parseType } from '@engine/ruleset'
import { parseVersion } from './version.ts'

/** The typed input and output of a ruleset (specification 2.9). */
export type Contract = {
  readonly name: string
  readonly version: string
  readonly input: { readonly fields: readonly InputField[] }
  readonly outputs: readonly Output[]
}

export type InputField = {
  /** Dotted path. */
  readonly name: string
  readonly type: string
  readonly required?: boolean
  readonly default?: Value
  readonly enum?: readonly Value[]
  readonly minimum?: number
  readonly maximum?: number
  /** Only for the type `decimal`: its precision in SQL; `decimals` is its scale. */
  readonly digits?: number
  readonly decimals?: number
  /** Masked where inputs are recorded. */
  readonly sensitive?: boolean
}

export type OutputField = { readonly name: string; readonly type: string }
export type Output = { readonly code: string; readonly fields: readonly OutputField[] }

/** A named, described field that contracts share (specification 2.9). */
export type Fact = {
  readonly name: string
  readonly type: string
  readonly description?: string
  readonly example?: Value
  readonly tags?: readonly string[]
}

/** A named structure that types refer to as `concept:<name>`. */
export type Concept = { readonly name: string; readonly fields: readonly OutputField[] }

/** A contract with a snapshot of all concepts and facts that it refers to, directly or through other concepts. */
export type WholeContract = Contract & {
  readonly concepts?: readonly Concept[]
  /** Facts with the name of a field. */
  readonly facts?: readonly Fact[]
}

export interface Decoded<Result> {
  readonly value?: Result
  readonly problems: readonly Problem[]
}

const outputField = record<OutputField>(['name', 'type'], { name: text, type: text })

const inputField = record<InputField>(['name', 'type'], {
  name: text,
  type: text,
  required: flag,
  default: anything,
  enum: listOf(anything),
  minimum: number,
  maximum: number,
  digits: number,
  decimals: number,
  sensitive: flag,
})

const contractShape = record<Contract>(['name', 'version', 'input', 'outputs'], {
  name: text,
  version: text,
  input: record<Contract['input']>(['fields'], { fields: listOf(inputField) }),
  outputs: listOf(record<Output>(['code', 'fields'], { code: text, fields: listOf(outputField) })),
})

const factShape = record<Fact>(['name', 'type'], {
  name: text,
  type: text,
  description: text,
  example: anything,
  tags: listOf(text),
})

/** Checks only the shape, not whether referenced types exist. */
export const conceptShape = record<Concept>(['name', 'fields'], { name: text, fields: listOf(outputField) })

/** Reads a contract: shape, types, paths, ranges, defaults and version. Linear in the size of the document. */
export function decodeContract(document: Value, concepts: Concepts = NO_CONCEPTS): Decoded<Contract> {
  return decoded(document, contractShape, (report, contract) => {
    if (parseVersion(contract.version) === undefined)
      report.error(at(undefined, 'version'), messages.badVersion(contract.version))
    const fields = below(undefined, 'input', 'fields')
    checkNames(report, fields, contract.input.fields, 'name')
    for (const [index, field] of contract.input.fields.entries()) checkInput(report, at(fields, index), field, concepts)
    checkNames(report, at(undefined, 'outputs'), contract.outputs, 'code')
    for (const [index, output] of contract.outputs.entries())
      checkFields(report, below(undefined, 'outputs', index, 'fields'), output.fields, concepts)
  })
}

/**
 * Reads a fact: shape, path, type and example. A type that only contracts support is a warning, because existing facts
 * have it. Linear in the size of the document.
 */
export function decodeFact(document: Value, concepts: Concepts = NO_CONCEPTS): Decoded<Fact> {
  return decoded(document, factShape, (report, fact) => {
    checkPath(report, at(undefined, 'name'), fact.name)
    checkType(report, at(undefined, 'type'), fact.type, concepts)
    const type = parseType(fact.type)
    const other = type && factTypeFor(type)
    if (other !== undefined) report.warn(at(undefined, 'type'), messages.factType(fact.type, other.instead))
    if (!hasFittingExample(fact, concepts))
      report.error(at(undefined, 'example'), messages.badExample(stringifyJson(fact.example ?? null), fact.type))
  })
}

/**
 * Whether the example of a fact matches its type; true without an example. Null represents an absent optional field.
 */
export function hasFittingExample({ type: text_, example = null }: Fact, concepts: Concepts): boolean {
  const type = parseType(text_)
  return example === null || type === undefined || hasType(example, type, concepts)
}

/** Reads a concept. `concepts` are those that its fields may refer to, including itself. */
export function decodeConcept(document: Value, concepts: Concepts = NO_CONCEPTS): Decoded<Concept> {
  return decoded(document, conceptShape, (report, concept) => {
    const known = new Map([...concepts, [concept.name, concept.fields]])
    checkFields(report, at(undefined, 'fields'), concept.fields, known)
  })
}

function decoded<Result>(
  document: Value,
  shape: (report: Report, place: undefined, value: Value) => Result | undefined,
  check: (report: Report, value: Result) => void,
): Decoded<Result> {
  const report = new Report()
  const value = shape(report, undefined, document)
  if (value !== undefined) check(report, value)
  const { problems } = report
  return value === undefined || report.hasErrors ? { problems } : { value, problems }
}

function checkFields(report: Report, place: Place, fields: readonly OutputField[], concepts: Concepts): void {
  checkNames(report, place, fields, 'name')
  for (const [index, { type }] of fields.entries()) checkType(report, below(place, index, 'type'), type, concepts)
}

function checkNames<Key extends string>(
  report: Report,
  place: Place,
  items: readonly { readonly [Name in Key]: string }[],
  key: Key,
): void {
  const names = new Set<string>()
  for (const [index, item] of items.entries()) {
    const name = item[key]
    const here = below(place, index, key)
    if (name === '') report.error(here, messages.emptyName(`the ${key}`))
    else if (names.has(name)) report.error(here, messages.repeatedName(name))
    names.add(name)
  }
}

function checkInput(report: Report, place: Place, field: InputField, concepts: Concepts): void {
  checkPath(report, at(place, 'name'), field.name)
  checkType(report, at(place, 'type'), field.type, concepts)
  const { minimum = -Infinity, maximum = Infinity } = field
  if (minimum > maximum) report.error(at(place, 'minimum'), messages.badRange())
  const type = parseType(field.type)
  checkDigits(report, place, field)
  if (type === undefined) return
  for (const [index, value] of (field.enum ?? []).entries())
    if (value !== null && !hasType(value, type, concepts))
      report.error(below(place, 'enum', index), messages.badEnumValue(stringifyJson(value), field.type))
  if (field.default === undefined) return
  if (!hasType(field.default, type, concepts) || !isWithin(field, field.default))
    report.error(at(place, 'default'), messages.badDefault(stringifyJson(field.default)))
}

function checkDigits(report: Report, place: Place, { type, digits, decimals }: InputField): void {
  for (const [key, value, least, most] of [
    ['digits', digits, 1, MAX_DIGITS],
    ['decimals', decimals, 0, digits ?? MAX_DIGITS],
  ] as const) {
    if (value === undefined) continue
    if (type !== 'decimal') report.error(at(place, key), messages.digitsOfOtherType(type))
    else if (!Number.isInteger(value) || value < least || value > most)
      report.error(at(place, key), messages.badDigits(least, most))
  }
}

function checkPath(report: Report, place: Place, name: string): void {
  if (name !== '' && fieldPath(name) === undefined) report.error(place, messages.badPath(name))
}

function checkType(report: Report, place: Place, text_: string, concepts: Concepts): void {
  const type = parseType(text_)
  if (type === undefined) return report.error(place, messages.unknownType(text_))
  const concept = conceptOf(type)
  if (concept !== undefined && !concepts.has(concept)) report.error(place, messages.unknownConcept(concept))
}

/** Whether a value is within the range, digits and enumeration of a field. */
export function isWithin(field: InputField, value: Value): boolean {
  const { enum: allowed, minimum, maximum } = field
  if (allowed !== undefined && !allowed.some((item) => sameValue(item, value))) return false
  if (!isNumber(value)) return true
  if (exceededLimit(value, field) !== undefined) return false
  return (
    (minimum === undefined || orderOf(value, minimum) >= 0) && (maximum === undefined || orderOf(value, maximum) <= 0)
  )
}
