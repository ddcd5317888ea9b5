import type { Value } from '@engine/expression/core'
import type { ActionStep, Branch, DecisionStep } from '../model.ts'
import { faults } from '../problems.ts'
import { decodeActions } from './action.ts'
import { between, MAX_BRANCHES, refuse, warn, warnUnknown } from './decoding.ts'
import type { Decoding, Pausable } from './decoding.ts'
import { decodeCondition } from './expression.ts'
import { described, fieldsAt, isFields, listMember, MAX_LABEL, member, textMember, wordMember } from './field.ts'
import type { Fields } from './field.ts'
import { at } from './place.ts'
import type { Place } from './place.ts'
import { stepReference } from './step-reference.ts'
import { decodeSubRuleStep, type DecodedStep } from './sub-rule-step.ts'
import { decodeTerminal } from './terminal.ts'

const LABEL = { least: 1, most: MAX_LABEL }
const NAME = { least: 0, most: MAX_LABEL }
const BRANCHES = { what: 'branches', most: MAX_BRANCHES }
const TYPES: ReadonlySet<DecodedStep['type']> = new Set(['decision', 'action', 'terminal', 'sub_rule'])

/** Steps of one ruleset, including those of every use of its sub-rules. */
export const MAX_STEPS = 10_000

const ANY_STEP = ['id', 'name', 'type', 'description']
const KNOWN = {
  decision: { of: 'a decision step', fields: new Set([...ANY_STEP, 'branches', 'default_next']) },
  action: { of: 'an action step', fields: new Set([...ANY_STEP, 'actions', 'next_step']) },
  terminal: { of: 'a terminal step', fields: new Set([...ANY_STEP, 'result']) },
  sub_rule: {
    of: 'a sub-rule step',
    fields: new Set([...ANY_STEP, 'ref_name', 'bindings', 'outputs', 'next_step']),
  },
} as const
const KNOWN_BRANCH: ReadonlySet<string> = new Set(['condition', 'next_step', 'actions', 'description'])

/** Reads the `steps` of a ruleset or of a sub-rule; undefined after a fault. */
export function* decodeSteps(
  decoding: Decoding,
  owner: Place | undefined,
  fields: Fields,
): Pausable<ReadonlyMap<string, DecodedStep> | undefined> {
  const value = member(fields, 'steps')
  const place = at(owner, 'steps')
  if (value === undefined) return refuse(decoding, place, faults.missing('steps', 'an object from step id to step'))
  if (!isFields(value)) {
    return refuse(decoding, place, faults.wrongType('an object from step id to step', described(value)))
  }
  const { stepIds } = decoding.scope
  if (stepIds.size === 0) return refuse(decoding, place, faults.noSteps())
  if (stepIds.size > MAX_STEPS) return refuse(decoding, place, faults.tooMany('steps', MAX_STEPS, stepIds.size))
  const steps = new Map<string, DecodedStep>()
  for (const id of stepIds) {
    yield* between(decoding)
    const step = yield* decodeStep(decoding, at(place, id), id, value[id])
    if (step !== undefined) steps.set(id, step)
  }
  return steps
}

/** Reads the step under `key` (specification 2.2); undefined after a fault. */
function* decodeStep(
  decoding: Decoding,
  place: Place,
  key: string,
  value: Value | undefined,
): Pausable<DecodedStep | undefined> {
  const fields = fieldsAt(decoding, place, value, 'a step object')
  if (fields === undefined) return undefined
  const id = textMember(decoding, place, fields, 'id', LABEL)
  if (id !== undefined && id !== key) refuse(decoding, at(place, 'id'), faults.idMismatch(id, key))
  const name = textMember(decoding, place, fields, 'name', { ...NAME, fallback: key })
  const type = wordMember(decoding, place, fields, 'type', TYPES, undefined)
  if (type === undefined) return undefined
  const known = KNOWN[type]
  warnUnknown(decoding, place, fields, known.fields, known.of)
  const step = yield* decodeRest(decoding, place, fields, type, { id: key, name: name ?? key })
  return id === key && name !== undefined ? step : undefined
}

interface Identity {
  readonly id: string
  readonly name: string
}

function* decodeRest(
  decoding: Decoding,
  place: Place,
  fields: Fields,
  type: DecodedStep['type'],
  identity: Identity,
): Pausable<DecodedStep | undefined> {
  switch (type) {
    case 'decision':
      return yield* decodeDecision(decoding, place, fields, identity)
    case 'action':
      return yield* decodeActionStep(decoding, place, fields, identity)
    case 'terminal':
      return yield* decodeTerminal(decoding, place, fields, identity)
    case 'sub_rule':
      return yield* decodeSubRuleStep(decoding, place, fields, identity)
  }
}

function* decodeDecision(
  decoding: Decoding,
  place: Place,
  fields: Fields,
  { id, name }: Identity,
): Pausable<DecisionStep | undefined> {
  const list = listMember(decoding, place, fields, 'branches', BRANCHES)
  const branches: Branch[] = []
  const listPlace = at(place, 'branches')
  if (list !== undefined) {
    const hadSome = decoding.branchesLeft >= 0
    decoding.branchesLeft -= list.length
    if (decoding.branchesLeft < 0) {
      if (hadSome) refuse(decoding, listPlace, faults.tooManyBranches(MAX_BRANCHES))
      return undefined
    }
    for (const [index, item] of list.entries()) {
      yield* between(decoding)
      const branch = yield* decodeBranch(decoding, at(listPlace, index), item)
      if (branch !== undefined) branches.push(branch)
    }
  }
  const defaultNext = decodeDefaultNext(decoding, place, fields)
  if (list?.length === 0 && defaultNext === null) refuse(decoding, listPlace, faults.deadEnd())
  if (list === undefined || branches.length < list.length || defaultNext === undefined) return undefined
  warnAfterAlways(decoding, listPlace, branches)
  return { type: 'decision', id, name, branches, defaultNext: defaultNext ?? undefined }
}

/** Null when absent; undefined after a fault. */
function decodeDefaultNext(decoding: Decoding, place: Place, fields: Fields): string | null | undefined {
  const value = member(fields, 'default_next')
  if (value === undefined || value === null) return null
  return stepReference(decoding, at(place, 'default_next'), value)
}

function* decodeBranch(decoding: Decoding, place: Place, value: Value): Pausable<Branch | undefined> {
  const fields = fieldsAt(decoding, place, value, 'a branch object with `condition` and `next_step`')
  if (fields === undefined) return undefined
  warnUnknown(decoding, place, fields, KNOWN_BRANCH, 'a branch')
  const condition = decodeCondition(decoding, at(place, 'condition'), member(fields, 'condition'))
  const nextStep = stepReference(decoding, at(place, 'next_step'), member(fields, 'next_step'))
  const actions = yield* decodeActions(decoding, place, fields)
  if (condition === undefined || nextStep === undefined) return undefined
  return { condition: condition.expression, source: condition.source, nextStep, actions }
}

function warnAfterAlways(decoding: Decoding, place: Place, branches: readonly Branch[]): void {
  const always = branches.findIndex(({ condition }) => condition.kind === 'literal' && condition.value === true)
  if (always === -1) return
  for (let index = always + 1; index < branches.length; index++) {
    warn(decoding, at(place, index), faults.branchAfterAlways(always))
  }
}

function* decodeActionStep(
  decoding: Decoding,
  place: Place,
  fields: Fields,
  { id, name }: Identity,
): Pausable<ActionStep | undefined> {
  const actions = yield* decodeActions(decoding, place, fields)
  const nextStep = stepReference(decoding, at(place, 'next_step'), member(fields, 'next_step'))
  if (nextStep === undefined) return undefined
  if (actions.length === 0 && decoding.faults.shown.length === 0) warn(decoding, place, faults.noActions())
  return { type: 'action', id, name, actions, nextStep }
}
