import { isList, isObject, type Numbers, type ObjectValue, type Value } from '@engine/expression'
import type { Entities } from '../standards/entities.ts'
import { describe, failures } from '../errors.ts'

/**
 * A request whether the subject may perform the action on the resource. It has the members of the standard; others are
 * ignored.
 */
export interface AccessRequest {
  readonly subject: Party
  readonly action: { readonly name: string; readonly properties: ObjectValue }
  readonly resource: Party
  readonly context: ObjectValue
}

/** A subject or a resource. */
interface Party {
  readonly type: string
  readonly id: string
  readonly properties: ObjectValue
}

const NONE: ObjectValue = {}

/** The members that a kind of request requires. */
export type Needed = Readonly<Record<'subjectId' | 'action' | 'resourceId', boolean>>

/** The members that an evaluation requires. */
const EVALUATION: Needed = { subjectId: true, action: true, resourceId: true }

/** The body of a request as an object. Throws `EngineError`. */
export function requestBody(value: Value): ObjectValue {
  if (!isObject(value)) throw failures.invalidPart('', `must be an object, found ${describe(value)}`)
  return value
}

/** Reads a request from the members of an object. Throws an `EngineError` that names the first invalid member. */
export function accessRequestOf(body: ObjectValue, needed: Needed = EVALUATION): AccessRequest {
  return {
    subject: partyOf(body['subject'], '/subject', needed.subjectId),
    action: needed.action ? actionOf(body['action']) : { name: '', properties: NONE },
    resource: partyOf(body['resource'], '/resource', needed.resourceId),
    context: objectAt(body['context'], '/context'),
  }
}

function partyOf(value: Value | undefined, path: string, needsId: boolean): Party {
  const party = requiredObject(value, path)
  return {
    type: textAt(party['type'], `${path}/type`),
    id: needsId ? textAt(party['id'], `${path}/id`) : '',
    properties: objectAt(party['properties'], `${path}/properties`),
  }
}

function actionOf(value: Value | undefined): AccessRequest['action'] {
  const action = requiredObject(value, '/action')
  return {
    name: textAt(action['name'], '/action/name'),
    properties: objectAt(action['properties'], '/action/properties'),
  }
}

function requiredObject(value: Value | undefined, path: string): ObjectValue {
  if (value === undefined) throw failures.invalidPart(path, 'is missing')
  if (!isObject(value)) throw failures.invalidPart(path, `must be an object, found ${describe(value)}`)
  return value
}

/** An optional object; empty if it is missing. */
export function objectAt(value: Value | undefined, path: string): ObjectValue {
  if (value === undefined) return NONE
  if (!isObject(value)) throw failures.invalidPart(path, `must be an object, found ${describe(value)}`)
  return value
}

function textAt(value: Value | undefined, path: string): string {
  if (value === undefined) throw failures.invalidPart(path, 'is missing')
  if (typeof value !== 'string') throw failures.invalidPart(path, `must be a string, found ${describe(value)}`)
  return value
}

/** The items of a batch; undefined if it is a single request. Throws `EngineError`. */
export function evaluationsOf(body: ObjectValue, most: number): readonly Value[] | undefined {
  const { evaluations } = body
  if (evaluations === undefined) return undefined
  if (!isList(evaluations)) throw failures.invalidPart('/evaluations', `must be a list, found ${describe(evaluations)}`)
  if (evaluations.length > most)
    throw failures.invalidPart('/evaluations', `has ${evaluations.length} items, at most ${most} are evaluated`)
  return evaluations.length === 0 ? undefined : evaluations
}

/** Members of a request that an item of a batch replaces completely. */
const REPLACED = ['subject', 'action', 'resource', 'context'] as const

/** A request of a batch: the members of the item, completed by those at the top level. Throws `EngineError`. */
export function itemRequestOf(body: ObjectValue, item: Value | undefined): AccessRequest {
  if (!isObject(item)) throw failures.invalidPart('', `must be an object, found ${describe(item)}`, 'the evaluation')
  const whole: { [key: string]: Value } = {}
  for (const name of REPLACED) {
    const value = item[name] ?? body[name]
    if (value !== undefined) whole[name] = value
  }
  return accessRequestOf(whole)
}

/** The input of the ruleset. Sent properties override known ones, member by member. */
export function inputOf(
  { subject, action, resource, context }: AccessRequest,
  entities: Entities | undefined,
  numbers: Numbers,
): ObjectValue {
  return {
    subject: withKnown(subject, entities, numbers),
    action: { name: action.name, properties: action.properties },
    resource: withKnown(resource, entities, numbers),
    context,
  }
}

function withKnown({ type, id, properties }: Party, entities: Entities | undefined, numbers: Numbers): ObjectValue {
  const known = entities?.get(type)?.byId.get(id)?.properties[numbers]
  return { type, id, properties: known === undefined ? properties : laidOver(known, properties) }
}

function laidOver(known: ObjectValue, sent: ObjectValue): ObjectValue {
  return sent === NONE ? known : { ...known, ...sent }
}
