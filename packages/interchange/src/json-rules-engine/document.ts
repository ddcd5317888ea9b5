import { isList, type Value } from '@engine/expression'
import { at, described, type Fields, isFields, member, type Place } from '@engine/ruleset'
import type { Losses } from '../losses.ts'

/** A rule with its conditions unparsed. */
export interface JsonRule {
  readonly name: string
  readonly priority: number
  readonly conditions: Value
  readonly event: Fields
  readonly place: Place | undefined
}

/** Maximum number of rules of one document. */
const MAX_RULES = 5000

/** The rules of a document, highest priority first: a rule, a list of rules, or `{rules: […]}`. */
export function readRules(document: Value, losses: Losses): readonly JsonRule[] {
  const found = placed(document, losses)
  if (found === undefined) return []
  const rules = found.flatMap(({ value, place }) => ruleOf(value, place, losses) ?? [])
  return rules.toSorted((left, right) => right.priority - left.priority)
}

/** Named conditions: those of `{conditions: {name: …}}`. */
export function readShared(document: Value): Fields {
  const shared = isFields(document) && isList(member(document, 'rules')) ? member(document, 'conditions') : undefined
  return isFields(shared) ? shared : {}
}

interface Placed {
  readonly value: Value
  readonly place: Place | undefined
}

function placed(document: Value, losses: Losses): readonly Placed[] | undefined {
  const inner = isFields(document) ? member(document, 'rules') : undefined
  const list = isList(document) ? document : inner
  const parent = isList(document) ? undefined : at(undefined, 'rules')
  if (list === undefined)
    return isFields(document) ? [{ value: document, place: undefined }] : noRules(document, losses)
  if (!isList(list)) return losses.error(parent, wrongType('a list of rules', list))
  if (list.length <= MAX_RULES) return list.map((value, index) => ({ value, place: at(parent, index) }))
  const message = `must have at most ${MAX_RULES} rules, found ${list.length}`
  return losses.error(parent, { code: 'too-many', message })
}

function noRules(document: Value, losses: Losses): undefined {
  return losses.error(undefined, wrongType('a rule or a list of rules', document))
}

export const wrongType = (expected: string, found: Value | undefined) => ({
  code: 'wrong-type',
  message: `must be ${expected}, found ${described(found)}`,
})

function ruleOf(value: Value, place: Place | undefined, losses: Losses): JsonRule | undefined {
  if (!isFields(value)) return losses.error(place, wrongType('a rule', value))
  const conditions = member(value, 'conditions')
  const event = member(value, 'event')
  if (conditions === undefined) return losses.error(at(place, 'conditions'), wrongType('conditions', conditions))
  if (!isFields(event)) return losses.error(at(place, 'event'), wrongType('an event', event))
  const type = member(event, 'type')
  if (typeof type !== 'string') return losses.error(at(at(place, 'event'), 'type'), wrongType('a text', type))
  const name = member(value, 'name')
  return {
    name: typeof name === 'string' ? name : type,
    priority: priorityOf(value, place, losses),
    conditions,
    event,
    place,
  }
}

function priorityOf(rule: Fields, place: Place | undefined, losses: Losses): number {
  const priority = member(rule, 'priority') ?? 1
  if (typeof priority === 'number' && priority > 0) return priority
  losses.error(at(place, 'priority'), wrongType('a number greater than 0', priority))
  return 1
}
