import { isObject, nearest, parsePath, quote, typeName, type Value } from '@engine/expression'
import { at, type Place } from '@engine/ruleset'
import type { DraftRuleset } from '../draft/model.ts'
import { below } from '../place.ts'
import { messages, type Problem, Report } from '../problem.ts'
import { type Contract, type InputField, isWithin } from './contract.ts'
import { allowedText } from './declared-fields.ts'
import { conceptNamed, type Concepts, hasType, NO_CONCEPTS, parseType } from '@engine/ruleset'

/** Terminals with a code that the contract does not declare (second trigger). Linear in the steps. */
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

/** The problems of an input (third trigger): missing required fields, types, ranges. Linear in its size. */
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
  else if (!isWithin(field, value)) report.error(place, messages.inputRange(field.name, allowedText(field)))
}

/** The keys on the path to a field. */
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

/** The concepts named by a contract's types. */
export function conceptsNamedBy({ input, outputs }: Contract): ReadonlySet<string> {
  const fields = [...input.fields, ...outputs.flatMap((output) => output.fields)]
  return new Set(fields.flatMap(({ type }) => conceptNamed(type) ?? []))
}
