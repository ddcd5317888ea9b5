import { isObject, nearest, parsePath, quote, type Type, TYPE, typeName, type Value } from '@engine/expression'
import { at, type Place } from '@engine/ruleset'
import type { DraftRuleset } from '../draft/model.ts'
import { below, type DeclaredFields, fieldPath } from '../engine/scope.ts'
import { messages, type Problem, Report } from '../problem.ts'
import { type Contract, type InputField, isWithin } from './contract.ts'
import { checkedType, conceptNamed, type Concepts, type FieldType, hasType, NO_CONCEPTS, parseType } from './type.ts'

/** Levels of concepts within each other whose fields expressions may name with a type. */
const DEEPEST = 5
/** Fields of a contract, those of its concepts included. */
const MOST_FIELDS = 20_000

/**
 * The fields that expressions may read (specification 4.10, first trigger), with the types that they are checked by. A
 * field has its type where it is present, so that `age > "x"` is wrong for an optional field too. Below an `object`, `any`
 * or an array every path is allowed; below a concept its fields are. Costs the fields, those of concepts five levels deep
 * included.
 */
export function declaredFields(contract: Contract, concepts: Concepts = NO_CONCEPTS): DeclaredFields {
  const types = new Map<string, Type>()
  const open = new Set<string>()
  const parents = new Set<string>()
  const add = (path: string, type: FieldType, depth: number) => {
    if (types.size >= MOST_FIELDS) return
    types.set(path, checkedType(type))
    const concept = type.kind === 'concept' ? concepts.get(type.name) : undefined
    if (concept === undefined || depth >= DEEPEST) {
      if (type.kind !== 'string' && type.kind !== 'boolean' && checkedType(type) !== TYPE.number) open.add(path)
      return
    }
    for (const field of concept) {
      const inner = parseType(field.type)
      if (inner !== undefined) add(`${path}.${field.name}`, inner, depth + 1)
    }
  }
  for (const { name, type } of contract.input.fields) {
    const path = fieldPath(name)
    const known = parseType(type)
    if (path === undefined || known === undefined) continue
    for (const parent of prefixes(path)) if (parent !== path) parents.add(parent)
    add(path, known, 0)
  }
  const allows = (path: string) =>
    types.has(path) || parents.has(path) || path === '$' || prefixes(path).some((parent) => open.has(parent))
  return { types, allows }
}

/** The path itself and what it leads through: `a`, `a.b`, `a.b[0]`. */
function prefixes(path: string): readonly string[] {
  const ends = Array.from(path.matchAll(/[.[]/g), ({ index }) => path.slice(0, index)).filter((part) => part !== '')
  return [...ends, path]
}

/** Terminals whose code the contract does not have (second trigger). Costs the steps. */
export function checkTerminals({ steps }: DraftRuleset, contract: Contract): readonly Problem[] {
  const report = new Report()
  const codes = new Set(contract.outputs.map(({ code }) => code))
  for (const [index, step] of steps.entries()) {
    if (step.type !== 'terminal' || step.code === undefined || codes.has(step.code)) continue
    report.stepId = step.id
    const place = below(undefined, 'steps', index, 'code')
    report.error(place, messages.undeclaredCode(step.code, nearest(step.code, codes)))
  }
  return report.problems
}

/** What is wrong with an input (third trigger): required fields that are missing, types, ranges. Costs its size. */
export function checkInput(contract: Contract, input: Value, concepts: Concepts = NO_CONCEPTS): readonly Problem[] {
  const report = new Report()
  for (const field of contract.input.fields) checkField(report, field, input, concepts)
  return report.problems
}

function checkField(report: Report, field: InputField, input: Value, concepts: Concepts): void {
  const keys = keysOf(field.name)
  const place: Place | undefined = keys.reduce<Place | undefined>((parent, key) => at(parent, key), undefined)
  const value = valueAt(input, keys)
  if (value === undefined || (value === null && field.required !== true)) {
    if (value === undefined && field.required === true && field.default === undefined)
      report.error(place, messages.missingInput(field.name))
    return
  }
  const type = parseType(field.type)
  if (type !== undefined && !hasType(value, type, concepts))
    report.error(place, messages.inputType(field.name, quote(field.type), typeName(value)))
  else if (!isWithin(field, value)) report.error(place, messages.inputRange(field.name, allowed(field)))
}

/** The names that lead to a field. */
export function keysOf(name: string): readonly string[] {
  const parsed = parsePath(name)
  if (parsed.kind !== 'parsed' || parsed.expression.kind !== 'field') return [name]
  return parsed.expression.path.map((hop) =>
    hop.kind === 'name' ? hop.name : hop.kind === 'index' ? `${hop.index}` : '*',
  )
}

function valueAt(input: Value, keys: readonly string[]): Value | undefined {
  let value: Value | undefined = input
  for (const key of keys)
    value = value !== undefined && isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return value
}

function allowed({ enum: values, minimum, maximum }: InputField): string {
  const bounds = [minimum === undefined ? '' : `at least ${minimum}`, maximum === undefined ? '' : `at most ${maximum}`]
  const list = values === undefined ? '' : `one of ${values.map((value) => quote(JSON.stringify(value))).join(', ')}`
  return [list, ...bounds].filter((part) => part !== '').join(' and ')
}

/** The concepts that the types of a contract name. */
export function conceptsNamedBy({ input, outputs }: Contract): ReadonlySet<string> {
  const fields = [...input.fields, ...outputs.flatMap((output) => output.fields)]
  return new Set(fields.flatMap(({ type }) => conceptNamed(type) ?? []))
}
