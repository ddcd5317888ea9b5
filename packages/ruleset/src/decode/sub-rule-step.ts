import { type Expression, isList, type Value } from '@engine/expression/core'
import type { Step } from '../model.ts'
import { faults } from '../problems.ts'
import { refuse, suggest } from './decoding.ts'
import type { Decoding, Pausable } from './decoding.ts'
import { listMember, MAX_LABEL, member, text, textMember } from './field.ts'
import type { Fields } from './field.ts'
import { decodeNamed } from './named-expressions.ts'
import { at } from './place.ts'
import type { Place } from './place.ts'
import { stepReference } from './step-reference.ts'
import { variableName } from './variable.ts'

/** A decoded step that uses a sub-rule, before `inline.ts` replaces it by the sub-rule's steps. */
export interface SubRuleStep {
  readonly type: 'sub_rule'
  readonly id: string
  readonly name: string
  readonly refName: string
  /** The sub-rule's input, by field. */
  readonly bindings: readonly (readonly [field: string, value: Expression])[]
  /** Variables of the sub-rule that are copied to the caller's variables when it ends. */
  readonly outputs: readonly (readonly [variable: string, inner: string])[]
  readonly nextStep: string
  readonly place: Place
}

/** A step as written in the document. */
export type DecodedStep = Step | SubRuleStep

const LABEL = { least: 1, most: MAX_LABEL }
const PAIRS = { what: 'pairs of a variable and a variable of the sub-rule', most: 1000 }

/** Reads the rest of a `sub_rule` step; undefined after a fault. */
export function* decodeSubRuleStep(
  decoding: Decoding,
  place: Place,
  step: Fields,
  { id, name }: { readonly id: string; readonly name: string },
): Pausable<SubRuleStep | undefined> {
  const refName = textMember(decoding, place, step, 'ref_name', LABEL)
  const isKnown = refName !== undefined && decoding.subRules.has(refName)
  if (refName !== undefined && !isKnown)
    refuse(
      decoding,
      at(place, 'ref_name'),
      faults.unknownSubRule(refName, suggest(decoding, refName, decoding.subRules)),
    )
  const bindings = yield* decodeNamed(decoding, place, step, 'bindings')
  const outputs = decodeOutputs(decoding, place, step)
  const nextStep = stepReference(decoding, at(place, 'next_step'), member(step, 'next_step'))
  if (refName === undefined || !isKnown || bindings === undefined || outputs === undefined || nextStep === undefined)
    return undefined
  return { type: 'sub_rule', id, name, refName, bindings, outputs, nextStep, place }
}

function decodeOutputs(decoding: Decoding, place: Place, step: Fields): SubRuleStep['outputs'] | undefined {
  const list = listMember(decoding, place, step, 'outputs', PAIRS)
  if (list === undefined) return undefined
  const outputs = new Map<string, string>()
  const listPlace = at(place, 'outputs')
  for (const [index, item] of list.entries()) {
    const itemPlace = at(listPlace, index)
    if (!isList(item) || item.length !== 2) {
      refuse(decoding, itemPlace, faults.notAPair('`["variable", "variable of the sub-rule"]`'))
      continue
    }
    const variable = outputName(decoding, at(itemPlace, 0), item[0])
    const inner = outputName(decoding, at(itemPlace, 1), item[1])
    if (variable === undefined || inner === undefined) continue
    decoding.scope.variablesSet.add(variable)
    if (outputs.has(variable)) refuse(decoding, at(itemPlace, 0), faults.repeatedName(variable))
    else outputs.set(variable, inner)
  }
  return outputs.size === list.length ? [...outputs] : undefined
}

function outputName(decoding: Decoding, place: Place, value: Value | undefined): string | undefined {
  const given = text(decoding, place, value, LABEL)
  return given === undefined ? undefined : variableName(decoding, place, given)
}
