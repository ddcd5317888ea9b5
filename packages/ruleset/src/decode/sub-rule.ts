import type { Value } from '@engine/expression/core'
import { faults } from '../problems.ts'
import { between, refuse, startScope, suggest, warn, warnUnknown } from './decoding.ts'
import type { Decoding, Pausable } from './decoding.ts'
import { described, fieldsAt, isFields, member } from './field.ts'
import type { Fields } from './field.ts'
import { warnOfVariables } from './flow.ts'
import { at } from './place.ts'
import type { Place } from './place.ts'
import { stepReference } from './step-reference.ts'
import { decodeSteps } from './step.ts'
import type { DecodedStep } from './sub-rule-step.ts'

/** Counters of steps that are limited in total. */
export interface Extent {
  readonly steps: number
  readonly branches: number
  readonly parts: number
  readonly items: number
}

/** A graph of steps: the ruleset or a sub-rule. */
export interface StepSet {
  readonly entryStep: string
  readonly steps: ReadonlyMap<string, DecodedStep>
  /** Variables that its actions set. */
  readonly variables: ReadonlySet<string>
  readonly extent: Extent
  /** Document place of its steps. */
  readonly place: Place
}

const MAX_SUB_RULES = 1000
const KNOWN: ReadonlySet<string> = new Set(['entry_step', 'steps', 'name', 'description'])

/** Names of a document's sub-rules, decodable or not. */
export function subRuleNames(document: Value): ReadonlySet<string> {
  const found = isFields(document) ? member(document, 'sub_rules') : undefined
  return new Set(isFields(found) ? Object.keys(found) : [])
}

/** Reads `sub_rules`; undefined after a fault. */
export function* decodeSubRules(
  decoding: Decoding,
  document: Fields,
): Pausable<ReadonlyMap<string, StepSet> | undefined> {
  const value = member(document, 'sub_rules')
  const place = at(undefined, 'sub_rules')
  const found = new Map<string, StepSet>()
  if (value === undefined || value === null) return found
  if (!isFields(value))
    return refuse(decoding, place, faults.wrongType('an object from name to sub-rule', described(value)))
  const { size } = decoding.subRules
  if (size > MAX_SUB_RULES) return refuse(decoding, place, faults.tooMany('sub-rules', MAX_SUB_RULES, size))
  for (const name of decoding.subRules) {
    yield* between(decoding)
    const decoded = yield* decodeSubRule(decoding, at(place, name), value[name])
    if (decoded !== undefined) found.set(name, decoded)
  }
  return found.size === size ? found : undefined
}

function* decodeSubRule(decoding: Decoding, place: Place, value: Value | undefined): Pausable<StepSet | undefined> {
  const fields = fieldsAt(decoding, place, value, 'an object with `entry_step` and `steps`')
  if (fields === undefined) return undefined
  warnUnknown(decoding, place, fields, KNOWN, 'a sub-rule')
  const outer = decoding.scope
  decoding.scope = startScope(member(fields, 'steps'))
  const decoded = yield* decodeStepSet(decoding, place, fields)
  warnOfVariables(decoding)
  decoding.scope = outer
  return decoded
}

function* decodeStepSet(decoding: Decoding, place: Place, fields: Fields): Pausable<StepSet | undefined> {
  const entryStep = stepReference(decoding, at(place, 'entry_step'), member(fields, 'entry_step'))
  const measure = measuring(decoding)
  const steps = yield* decodeSteps(decoding, place, fields)
  if (entryStep === undefined || steps === undefined) return undefined
  return {
    entryStep,
    steps,
    variables: decoding.scope.variablesSet,
    extent: measure(steps.size),
    place: at(place, 'steps'),
  }
}

/** Counts everything decoded after this call. */
export function measuring(decoding: Decoding): (steps: number) => Extent {
  const { branchesLeft, partsLeft, itemsLeft } = decoding
  return (steps) => ({
    steps,
    branches: branchesLeft - decoding.branchesLeft,
    parts: partsLeft - decoding.partsLeft,
    items: itemsLeft - decoding.itemsLeft,
  })
}

/** Warns about outputs that the sub-rule never sets, and about unused sub-rules. */
export function warnOfSubRules(decoding: Decoding, root: StepSet, subRules: ReadonlyMap<string, StepSet>): void {
  const used = new Set<string>()
  for (const { steps } of [root, ...subRules.values()])
    for (const step of steps.values()) {
      if (step.type !== 'sub_rule') continue
      used.add(step.refName)
      const variables = subRules.get(step.refName)?.variables ?? new Set<string>()
      for (const [index, [, inner]] of step.outputs.entries())
        if (!variables.has(inner))
          warn(
            decoding,
            at(at(at(step.place, 'outputs'), index), 1),
            faults.unsetOutput(step.refName, inner, suggest(decoding, inner, variables)),
          )
    }
  for (const name of subRules.keys())
    if (!used.has(name)) warn(decoding, at(at(undefined, 'sub_rules'), name), faults.unusedSubRule(name))
}
