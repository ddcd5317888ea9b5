import { quote, type Value } from '@engine/expression'
import { type Place, pointer } from '@engine/ruleset'
import { below } from '../place.ts'
import {
  type Concept,
  type Contract,
  type InputField,
  type Output,
  type OutputField,
  type WholeContract,
} from './contract.ts'
import { identityOf, sameValue } from '../same-value.ts'
import { type FieldNode, fieldTree, isNeeded } from './field-tree.ts'
import { type Concepts, type FieldType, parseType } from '@engine/ruleset'
import { keysOf } from './contract-use.ts'
import { type Bump, largerBump, parseVersion, suffices } from './version.ts'

/** A change that breaks callers or readers of the earlier contract. */
export interface Break {
  /** JSON pointer into the later contract; for removed parts, into the earlier one. */
  readonly path: string
  readonly message: string
}

export interface ContractChange {
  readonly breaking: boolean
  readonly breaks: readonly Break[]
  /**
   * The recommended version step. Advice, except for breaking changes, which require their step: `checkVersion` defines
   * what is allowed.
   */
  readonly bump: Bump
}

/** `too-low`: the version is not higher. `breaking`: it is higher, but the step is too small for a breaking change. */
export type VersionVerdict = 'fits' | 'too-low' | 'breaking'

/** Members that are compared elsewhere or set by the platform. */
const IGNORED: ReadonlySet<string> = new Set([
  'name',
  'version',
  'input',
  'outputs',
  'concepts',
  'id',
  'rev',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
  'needs_migration',
  'migrations',
])

/**
 * The changes from one contract to the next, by the rule of specification 9.3. Input requirements may only become
 * weaker; promised outputs may only grow. Compares concepts that exist on both sides. Linear in the size of both.
 */
export function checkContract(before: WholeContract, after: WholeContract): ContractChange {
  const found: Found = { breaks: [], bump: 'none' }
  compareInputs(found, before, after)
  compareOutputs(found, before, after)
  compareConcepts(found, before.concepts ?? [], after.concepts ?? [])
  if (!sameValue(rest(before, IGNORED), rest(after, IGNORED))) raise(found, 'patch')
  return { breaking: found.breaks.length > 0, breaks: found.breaks, bump: found.bump }
}

/**
 * Whether the later version may follow the earlier one (specification 9.3): changed content needs a higher version, by
 * any step unless the change is breaking.
 */
export function checkVersion(before: Contract, after: Contract, { bump, breaking }: ContractChange): VersionVerdict {
  const [from, to] = [parseVersion(before.version), parseVersion(after.version)]
  if (from === undefined || to === undefined) return 'too-low'
  if (bump === 'none' && before.version === after.version) return 'fits'
  // Versions are never reused and never decrease.
  if (!suffices(from, to, 'patch')) return 'too-low'
  return breaking && !suffices(from, to, 'major') ? 'breaking' : 'fits'
}

interface Found {
  readonly breaks: Break[]
  bump: Bump
}

function raise(found: Found, bump: Bump): void {
  found.bump = largerBump(found.bump, bump)
}

function broken(found: Found, place: Place, message: string): void {
  found.breaks.push({ path: pointer(place), message })
  raise(found, 'major')
}

const FIELDS = below(undefined, 'input', 'fields')

function compareInputs(found: Found, before: WholeContract, after: Contract): void {
  const concepts = new Map(before.concepts?.map(({ name, fields }) => [name, fields]))
  const tree: Earlier = { root: fieldTree(before), concepts }
  const earlier = new Map(before.input.fields.map((field) => [field.name, field]))
  const later = new Set(after.input.fields.map(({ name }) => name))
  for (const [index, { name }] of before.input.fields.entries())
    if (!later.has(name)) broken(found, below(FIELDS, index), `the field ${quote(name)} was removed`)
  for (const [index, field] of after.input.fields.entries()) {
    const place = below(FIELDS, index)
    const was = earlier.get(field.name)
    if (was === undefined) addedInput(found, place, field, tree)
    else compareInput(found, place, was, field)
  }
}

function addedInput(found: Found, place: Place, field: InputField, earlier: Earlier): void {
  const name = `the new field ${quote(field.name)}`
  if (field.required === true && field.default === undefined)
    return broken(found, below(place, 'required'), `${name} is required and has no default`)
  const narrowed = narrowedBy(field, earlier)
  if (narrowed === undefined) raise(found, 'minor')
  else broken(found, place, `${name} narrows ${narrowed}`)
}

/** The input of the earlier contract, which determines whether a new field narrows it. */
interface Earlier {
  readonly root: FieldNode
  readonly concepts: Concepts
}

/**
 * A description of the declared fields that a new optional field restricts. The earlier contract does not mention most
 * new paths. It does when it declares fields below the path, or a field above whose type allows more there.
 */
function narrowedBy(field: InputField, { root, concepts }: Earlier): string | undefined {
  const type = parseType(field.type)
  const { enum: values, minimum, maximum, digits, decimals } = field
  const hasLimits = [values, minimum, maximum, digits, decimals].some((limit) => limit !== undefined)
  if (type === undefined || (type.kind === 'any' && !hasLimits)) return undefined
  let node: FieldNode | undefined = root
  let allowed: FieldType | undefined
  let above = ''
  for (const key of keysOf(field.name)) {
    if (allowed !== undefined) allowed = memberType(allowed, key, concepts)
    node = node?.members.get(key)
    if (node?.own === undefined) continue
    allowed = parseType(node.own.type)
    above = node.own.name
  }
  if (node !== undefined) {
    // The fields below already require an object.
    const isObjectAlready = type.kind === 'object' && !hasLimits && Array.from(node.members.values()).some(isNeeded)
    return isObjectAlready ? undefined : `the values allowed by the fields below it`
  }
  if (allowed === undefined || (!hasLimits && sameValue(allowed, type))) return undefined
  return `the values allowed by ${quote(above)}`
}

/** The type of a member; undefined when the type does not restrict it. */
function memberType(type: FieldType, key: string, concepts: Concepts): FieldType | undefined {
  if (type.kind === 'object' || type.kind === 'any') return { kind: 'any' }
  if (type.kind !== 'concept') return undefined
  const text = concepts.get(type.name)?.find(({ name }) => name === key)?.type
  return text === undefined ? undefined : parseType(text)
}

function compareInput(found: Found, place: Place, was: InputField, is: InputField): void {
  const name = `the field ${quote(is.name)}`
  if (was.type !== is.type) retyped(found, below(place, 'type'), was.type, is.type, name)
  if (was.required !== true && is.required === true) broken(found, below(place, 'required'), `${name} became required`)
  else if (was.required === true && is.required !== true) raise(found, 'minor')
  if (was.default !== undefined && !sameValue(was.default, is.default))
    broken(
      found,
      below(place, 'default'),
      `the default of ${name} was ${is.default === undefined ? 'removed' : 'changed'}`,
    )
  else if (was.default === undefined && is.default !== undefined) raise(found, 'minor')
  compareBound(found, below(place, 'minimum'), was.minimum, is.minimum, 1, `the minimum of ${name}`)
  compareBound(found, below(place, 'maximum'), was.maximum, is.maximum, -1, `the maximum of ${name}`)
  compareBound(found, below(place, 'decimals'), was.decimals, is.decimals, -1, `the number of decimals of ${name}`)
  compareDigits(found, below(place, 'digits'), was, is, `the digits of ${name}`)
  compareEnum(found, below(place, 'enum'), was, is, name)
  if (!sameValue(rest(was, MEANING), rest(is, MEANING))) raise(found, 'patch')
}

/** Members of a field that affect its values. */
const MEANING: ReadonlySet<string> = new Set([
  'name',
  'type',
  'required',
  'default',
  'enum',
  'minimum',
  'maximum',
  'digits',
  'decimals',
])

function retyped(found: Found, place: Place, was: string, is: string, name: string): void {
  broken(found, place, `the type of ${name} was changed from ${quote(was)} to ${quote(is)}`)
}

/** `direction` is 1 for a lower bound: a higher one is narrower. */
function compareBound(
  found: Found,
  place: Place,
  was: number | undefined,
  is: number | undefined,
  direction: 1 | -1,
  what: string,
): void {
  if (was === is) return
  const isNarrower = is !== undefined && (was === undefined || (is - was) * direction > 0)
  if (isNarrower) broken(found, place, `${what} was narrowed`)
  else raise(found, 'minor')
}

/** `digits` limits the digits before the point or, without `decimals`, the total number of digits. */
function compareDigits(found: Found, place: Place, was: InputField, is: InputField, what: string): void {
  const before = ({ digits = Infinity, decimals = 0 }: InputField) => digits - decimals
  const isNarrower =
    before(is) < before(was) || (is.decimals === undefined && (is.digits ?? Infinity) < (was.digits ?? Infinity))
  if (isNarrower) broken(found, place, `${what} were narrowed`)
  else if (was.digits !== is.digits) raise(found, 'minor')
}

function compareEnum(found: Found, place: Place, was: InputField, is: InputField, name: string): void {
  if (sameValue(was.enum, is.enum)) return
  if (is.enum === undefined) return raise(found, 'minor')
  const allowed = new Set(is.enum.map(identityOf))
  const isKept = was.enum?.every((value) => allowed.has(identityOf(value))) === true
  if (isKept) raise(found, was.enum?.length === is.enum.length ? 'patch' : 'minor')
  else broken(found, place, `the values of ${name} were narrowed`)
}

function compareOutputs(found: Found, before: Contract, after: Contract): void {
  const later = new Map(after.outputs.map((output, index) => [output.code, { output, index }]))
  const earlier = new Set(before.outputs.map(({ code }) => code))
  for (const [index, output] of before.outputs.entries()) {
    const is = later.get(output.code)
    if (is === undefined)
      broken(found, below(undefined, 'outputs', index), `the output code ${quote(output.code)} was removed`)
    else
      compareOutput(
        found,
        below(undefined, 'outputs', index, 'fields'),
        below(undefined, 'outputs', is.index, 'fields'),
        output,
        is.output,
      )
  }
  if (after.outputs.some(({ code }) => !earlier.has(code))) raise(found, 'minor')
}

function compareOutput(found: Found, earlier: Place, later: Place, was: Output, is: Output): void {
  compareFields(found, earlier, later, was, is, (name) => `the output field ${quote(name)} of ${quote(was.code)}`)
  if (!sameValue(rest(was, OUTPUT), rest(is, OUTPUT))) raise(found, 'patch')
}

/**
 * All fields of a concept are optional: an additional one is not a requirement. When only one side refers to a concept,
 * the type that names it differs, which is reported as its own change.
 */
function compareConcepts(found: Found, before: readonly Concept[], after: readonly Concept[]): void {
  const later = new Map(after.map((concept, index) => [concept.name, { concept, index }]))
  for (const [index, was] of before.entries()) {
    const is = later.get(was.name)
    if (is === undefined) continue
    const [earlierPlace, laterPlace] = [conceptFields(index), conceptFields(is.index)]
    const what = (name: string) => `the field ${quote(name)} of the concept ${quote(was.name)}`
    compareFields(found, earlierPlace, laterPlace, was, is.concept, what)
  }
}

const conceptFields = (index: number) => below(undefined, 'concepts', index, 'fields')

interface WithFields {
  readonly fields: readonly OutputField[]
}

/** Promised fields must keep their types. @param whatOf names a field in messages */
function compareFields(
  found: Found,
  earlier: Place,
  later: Place,
  was: WithFields,
  is: WithFields,
  whatOf: (name: string) => string,
): void {
  const fields = new Map(is.fields.map((field, index) => [field.name, { ...field, index }]))
  for (const [index, { name, type }] of was.fields.entries()) {
    const field = fields.get(name)
    if (field === undefined) broken(found, below(earlier, index), `${whatOf(name)} was removed`)
    else if (field.type !== type) retyped(found, below(later, field.index, 'type'), type, field.type, whatOf(name))
  }
  const names = new Set(was.fields.map(({ name }) => name))
  if (is.fields.some(({ name }) => !names.has(name))) raise(found, 'minor')
}

const OUTPUT: ReadonlySet<string> = new Set(['code', 'fields'])

/** The remaining members: descriptions and others. */
function rest(whole: object, named: ReadonlySet<string>): Value {
  return Object.fromEntries(Object.entries(whole).filter(([key]) => !named.has(key)))
}
