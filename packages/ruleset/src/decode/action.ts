import { isList, type Value } from '@engine/expression/core'
import { offers } from '../capability-registry.ts'
import type { Action, CallRuleset, ExternalCall, Log, LogLevel, Metric, SetVariable } from '../model.ts'
import { refuseName } from '../name.ts'
import { faults } from '../problems.ts'
import { between, refuse, suggest, warn, warnUnknown } from './decoding.ts'
import type { Decoding, Pausable } from './decoding.ts'
import { decodeValue } from './expression.ts'
import {
  fieldsAt,
  integerMember,
  listMember,
  MAX_LABEL,
  MAX_TEXT,
  member,
  text,
  textMember,
  wordMember,
} from './field.ts'
import type { Fields } from './field.ts'
import { decodeNamed } from './named-expressions.ts'
import { at } from './place.ts'
import type { Place } from './place.ts'
import { optionalVariableMember, variableMember } from './variable.ts'

const LABEL = { least: 1, most: MAX_LABEL }
const LOG_MESSAGE = { least: 0, most: MAX_TEXT }
const TAG_VALUE = { least: 0, most: MAX_LABEL }
const ACTIONS = { what: 'actions', most: 10_000 }
const TAGS = { what: 'pairs of two texts', most: 100 }
/** Milliseconds; 0 leaves the limit to the provider. Specification 2.8. */
const CALL_TIMEOUT_MS = { low: 0, high: 3_600_000, fallback: 0 }

const LOG_LEVELS: ReadonlySet<LogLevel> = new Set(['debug', 'info', 'warn', 'error'])

interface ActionKind {
  readonly known: ReadonlySet<string>
  readonly of: string
  readonly decode: (decoding: Decoding, place: Place, fields: Fields) => Pausable<Action | undefined>
}

type DecodeAction = (decoding: Decoding, place: Place, fields: Fields) => Action | undefined

function kind(of: string, known: readonly string[], decode: DecodeAction): ActionKind {
  // oxlint-disable-next-line require-yield -- one action of few members is read in one go
  return pausableKind(of, known, function* (decoding, place, fields) {
    return decode(decoding, place, fields)
  })
}

function pausableKind(of: string, known: readonly string[], decode: ActionKind['decode']): ActionKind {
  return { of, known: new Set(['action', 'description', ...known]), decode }
}

const CALL_RULESET = kind(
  'a `call_ruleset` action',
  ['ruleset_name', 'input_mapping', 'result_variable'],
  decodeCallRuleset,
)

/** Action kinds by keyword. Specification 2.2 and 2.8. */
const KINDS: ReadonlyMap<string, ActionKind> = new Map([
  ['set_variable', kind('a `set_variable` action', ['name', 'value'], decodeSetVariable)],
  ['log', kind('a `log` action', ['message', 'level'], decodeLog)],
  ['metric', kind('a `metric` action', ['name', 'value', 'tags'], decodeMetric)],
  [
    'external_call',
    pausableKind(
      'an `external_call` action',
      ['service', 'method', 'params', 'result_variable', 'timeout_ms'],
      decodeExternalCall,
    ),
  ],
  ['call_ruleset', CALL_RULESET],
  // The name used by documents of the original service.
  ['call_rule_set', CALL_RULESET],
])
const WORDS: ReadonlySet<string> = new Set(KINDS.keys())

const NO_ACTIONS: readonly Action[] = []

/** Reads the `actions` of a step or a branch; invalid ones are reported and omitted. */
export function* decodeActions(decoding: Decoding, place: Place, fields: Fields): Pausable<readonly Action[]> {
  const list = listMember(decoding, place, fields, 'actions', ACTIONS)
  if (list === undefined || list.length === 0) return NO_ACTIONS
  const actions: Action[] = []
  const listPlace = at(place, 'actions')
  for (const [index, item] of list.entries()) {
    yield* between(decoding)
    const action = yield* decodeAction(decoding, at(listPlace, index), item)
    if (action !== undefined) actions.push(action)
  }
  return actions
}

function* decodeAction(decoding: Decoding, place: Place, value: Value): Pausable<Action | undefined> {
  const fields = fieldsAt(decoding, place, value, 'an action object')
  const word = fields && wordMember(decoding, place, fields, 'action', WORDS, undefined)
  const found = word === undefined ? undefined : KINDS.get(word)
  if (fields === undefined || found === undefined) return undefined
  warnUnknown(decoding, place, fields, found.known, found.of)
  return yield* found.decode(decoding, place, fields)
}

function decodeSetVariable(decoding: Decoding, place: Place, fields: Fields): SetVariable | undefined {
  const name = variableMember(decoding, place, fields, 'name')
  const value = decodeValue(decoding, at(place, 'value'), member(fields, 'value'))
  if (name === undefined || value === undefined) return undefined
  return { action: 'set_variable', name, value }
}

function decodeLog(decoding: Decoding, place: Place, fields: Fields): Log | undefined {
  const message = textMember(decoding, place, fields, 'message', LOG_MESSAGE)
  const level = wordMember(decoding, place, fields, 'level', LOG_LEVELS, 'info')
  if (message === undefined || level === undefined) return undefined
  return { action: 'log', message, level }
}

function decodeMetric(decoding: Decoding, place: Place, fields: Fields): Metric | undefined {
  const name = textMember(decoding, place, fields, 'name', LABEL)
  const value = decodeValue(decoding, at(place, 'value'), member(fields, 'value'))
  const tags = decodeTags(decoding, place, fields)
  if (name === undefined || value === undefined || tags === undefined) return undefined
  return { action: 'metric', name, value, tags }
}

function decodeTags(
  decoding: Decoding,
  place: Place,
  fields: Fields,
): readonly (readonly [string, string])[] | undefined {
  const list = listMember(decoding, place, fields, 'tags', TAGS)
  if (list === undefined) return undefined
  const listPlace = at(place, 'tags')
  const tags = new Map<string, string>()
  for (const [index, item] of list.entries()) {
    const itemPlace = at(listPlace, index)
    if (!isList(item) || item.length !== 2) {
      refuse(decoding, itemPlace, faults.notAPair('`["key", "value"]`'))
      continue
    }
    const key = text(decoding, at(itemPlace, 0), item[0], LABEL)
    const value = text(decoding, at(itemPlace, 1), item[1], TAG_VALUE)
    if (key === undefined || value === undefined) continue
    if (tags.has(key)) refuse(decoding, at(itemPlace, 0), faults.repeatedName(key))
    else tags.set(key, value)
  }
  return tags.size === list.length ? [...tags] : undefined
}

function* decodeExternalCall(decoding: Decoding, place: Place, fields: Fields): Pausable<ExternalCall | undefined> {
  const service = textMember(decoding, place, fields, 'service', LABEL)
  const method = textMember(decoding, place, fields, 'method', LABEL)
  const params = yield* decodeNamed(decoding, place, fields, 'params')
  const resultVariable = optionalVariableMember(decoding, place, fields)
  const timeoutMs = integerMember(decoding, place, fields, 'timeout_ms', CALL_TIMEOUT_MS)
  if (service === undefined || method === undefined || params === undefined) return undefined
  if (resultVariable === undefined || timeoutMs === undefined) return undefined
  warnOfCall(decoding, place, { service, method, params })
  return {
    action: 'external_call',
    service,
    method,
    params,
    resultVariable: resultVariable.name,
    timeoutMs: timeoutMs === 0 ? undefined : timeoutMs,
  }
}

/** A call that this host can never make fails each execution that reaches it. */
function warnOfCall(
  decoding: Decoding,
  place: Place,
  { service, method, params }: Pick<ExternalCall, 'service' | 'method' | 'params'>,
): void {
  const { capabilities } = decoding
  if (capabilities === undefined) return
  const provider = capabilities.get(service)
  if (provider === undefined) {
    const known = suggest(decoding, service, new Set(capabilities.names()))
    return warn(decoding, at(place, 'service'), faults.unknownCapability(service, known))
  }
  if (!offers(provider, method)) {
    const known = suggest(decoding, method, new Set(provider.operations))
    warn(decoding, at(place, 'method'), faults.unknownOperation(service, method, provider.operations, known))
  }
  const given = new Set(params.map(([name]) => name))
  for (const name of provider.required ?? [])
    if (!given.has(name)) warn(decoding, at(place, 'params'), faults.missingParameter(service, name))
}

function decodeCallRuleset(decoding: Decoding, place: Place, fields: Fields): CallRuleset | undefined {
  const rulesetName = textMember(decoding, place, fields, 'ruleset_name', LABEL)
  const reason = rulesetName === undefined ? undefined : refuseName(rulesetName)
  if (reason !== undefined) refuse(decoding, at(place, 'ruleset_name'), faults.badName(reason))
  const mapping = member(fields, 'input_mapping') ?? undefined
  const inputMapping = mapping === undefined ? undefined : decodeValue(decoding, at(place, 'input_mapping'), mapping)
  const resultVariable = variableMember(decoding, place, fields, 'result_variable')
  if (rulesetName === undefined || reason !== undefined || resultVariable === undefined) return undefined
  if (mapping !== undefined && inputMapping === undefined) return undefined
  return { action: 'call_ruleset', rulesetName, inputMapping, resultVariable }
}
