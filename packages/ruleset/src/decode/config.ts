import { isList, parsePath, printPath } from '@engine/expression/core'
import type { Numbers, Value } from '@engine/expression/core'
import type { InputContract } from '../contract/input-contract.ts'
import type { RulesetConfig } from '../model.ts'
import { refuseName } from '../name.ts'
import { decodeContract } from './contract.ts'
import { faults } from '../problems.ts'
import { between, countConstants, PARSING, refuse, suggest, warn, warnUnknown } from './decoding.ts'
import type { Decoding, Pausable } from './decoding.ts'
import {
  booleanMember,
  described,
  fieldsAt,
  integerMember,
  isFields,
  MAX_LABEL,
  MAX_TEXT,
  member,
  nullableTextMember,
  optionalMember,
  text,
  textMember,
  wordMember,
} from './field.ts'
import type { Fields } from './field.ts'
import { at } from './place.ts'
import type { Place } from './place.ts'

const KNOWN: ReadonlySet<string> = new Set([
  'name',
  'version',
  'entry_step',
  'description',
  'field_missing',
  'defaults',
  'timeout_ms',
  'max_depth',
  'enable_trace',
  'message_templates',
  'numbers',
  'receipt_fields',
  'contract',
  'tenant_id',
  'metadata',
])

const FIELD_MISSING: ReadonlySet<RulesetConfig['fieldMissing']> = new Set(['lenient', 'strict', 'default'])

const NUMBERS: ReadonlySet<Numbers> = new Set(['double', 'decimal'])

const VERSION = { least: 1, most: MAX_LABEL, fallback: '1.0.0' }
/** The default of `entry_step`. */
const ENTRY_STEP = { least: 1, most: MAX_LABEL, fallback: 'start' }
const DESCRIPTION = { least: 0, most: MAX_TEXT }
const TENANT_ID = { least: 1, most: MAX_LABEL }
const METADATA_VALUE = { least: 0, most: MAX_TEXT }
/** Milliseconds; 0 is off, at most an hour. Specification 8. */
const TIMEOUT_MS = { low: 0, high: 3_600_000, fallback: 5000 }
const MAX_DEPTH = { low: 1, high: 1_000_000, fallback: 1000 }

const NO_DEFAULTS: ReadonlyMap<string, Value> = new Map()
const NO_METADATA: ReadonlyMap<string, string> = new Map()

/** Reads `config` (specification 2.1); undefined after a fault. */
export function* decodeConfig(decoding: Decoding, value: Value | undefined): Pausable<RulesetConfig | undefined> {
  const place = at(undefined, 'config')
  if (value === undefined) return refuse(decoding, place, faults.missing('config', 'an object'))
  const fields = fieldsAt(decoding, place, value, 'an object')
  if (fields === undefined) return undefined
  warnUnknown(decoding, place, fields, KNOWN, '`config`')

  const name = decodeName(decoding, place, fields)
  const version = textMember(decoding, place, fields, 'version', VERSION)
  const entryStep = decodeEntryStep(decoding, place, fields)
  const description = nullableTextMember(decoding, place, fields, 'description', DESCRIPTION)
  const fieldMissing = wordMember(decoding, place, fields, 'field_missing', FIELD_MISSING, 'lenient')
  const defaults = yield* decodeDefaults(decoding, place, fields)
  const timeoutMs = integerMember(decoding, place, fields, 'timeout_ms', TIMEOUT_MS)
  const maxDepth = integerMember(decoding, place, fields, 'max_depth', MAX_DEPTH)
  const enableTrace = booleanMember(decoding, place, fields, 'enable_trace')
  const messageTemplates = booleanMember(decoding, place, fields, 'message_templates')
  const numbers = wordMember(decoding, place, fields, 'numbers', NUMBERS, 'double')
  const receiptFields = decodeReceiptFields(decoding, place, fields)
  const contract = decodeContract(decoding, place, fields)
  const tenantId = nullableTextMember(decoding, place, fields, 'tenant_id', TENANT_ID)
  const metadata = yield* decodeMetadata(decoding, place, fields)

  if (name === undefined || version === undefined || entryStep === undefined) return undefined
  if (description === undefined || fieldMissing === undefined || defaults === undefined) return undefined
  if (timeoutMs === undefined || maxDepth === undefined || enableTrace === undefined) return undefined
  if (messageTemplates === undefined || numbers === undefined || receiptFields === undefined) return undefined
  if (tenantId === undefined || metadata === undefined) return undefined
  if (defaults.size > 0 && fieldMissing !== 'default') {
    warn(decoding, at(place, 'defaults'), faults.unusedDefaults(fieldMissing))
  }
  const declared = contractDefaults(contract)
  if (declared.size > 0 && fieldMissing === 'strict')
    warn(decoding, at(place, 'field_missing'), faults.unusedContractDefaults())
  return {
    name,
    version,
    entryStep,
    description,
    ...withDeclared({ fieldMissing, defaults }, declared),
    timeoutMs,
    maxDepth,
    enableTrace,
    messageTemplates,
    numbers,
    receiptFields,
    contract,
    tenantId,
    metadata,
  }
}

/** The defaults of a contract by canonical path, in every mode: changing the mode changes no decision. */
function contractDefaults(contract: InputContract | undefined): ReadonlyMap<string, Value> {
  const declared = new Map<string, Value>()
  for (const { name, default: value } of contract?.fields ?? []) {
    const path = value === undefined ? undefined : canonicalPath(name)
    if (path !== undefined && value !== undefined) declared.set(path, value)
  }
  return declared
}

/** Adds the contract's defaults, unless the ruleset has its own. In mode `strict`, missing fields still fail. */
function withDeclared(
  own: Pick<RulesetConfig, 'fieldMissing' | 'defaults'>,
  declared: ReadonlyMap<string, Value>,
): typeof own {
  if (declared.size === 0 || own.fieldMissing === 'strict') return own
  const kept = own.fieldMissing === 'default' ? own.defaults : NO_DEFAULTS
  return { fieldMissing: 'default', defaults: new Map([...declared, ...kept]) }
}

function decodeName(decoding: Decoding, place: Place, fields: Fields): string | undefined {
  const value = member(fields, 'name')
  const namePlace = at(place, 'name')
  if (value === undefined) return refuse(decoding, namePlace, faults.missing('name', 'a text'))
  if (typeof value !== 'string') return refuse(decoding, namePlace, faults.wrongType('a text', described(value)))
  const reason = refuseName(value)
  return reason === undefined ? value : refuse(decoding, namePlace, faults.badName(reason))
}

function decodeEntryStep(decoding: Decoding, place: Place, fields: Fields): string | undefined {
  const given = optionalMember(fields, 'entry_step') !== undefined
  const entryStep = textMember(decoding, place, fields, 'entry_step', ENTRY_STEP)
  if (entryStep === undefined || decoding.scope.stepIds.has(entryStep)) return entryStep
  const entryPlace = at(place, 'entry_step')
  if (!given) return refuse(decoding, entryPlace, faults.missing('entry_step', 'the id of the first step'))
  return refuse(
    decoding,
    entryPlace,
    faults.unknownStep(entryStep, suggest(decoding, entryStep, decoding.scope.stepIds)),
  )
}

/** `defaults`: values by field path. Keys are canonicalised, so that `$.a.b` and `a["b"]` are `a.b`. */
function* decodeDefaults(
  decoding: Decoding,
  place: Place,
  fields: Fields,
): Pausable<ReadonlyMap<string, Value> | undefined> {
  const value = optionalMember(fields, 'defaults')
  if (value === undefined) return NO_DEFAULTS
  const defaultsPlace = at(place, 'defaults')
  if (!isFields(value)) {
    return refuse(decoding, defaultsPlace, faults.wrongType('an object from field path to value', described(value)))
  }
  const defaults = new Map<string, Value>()
  const entries = Object.entries(value)
  for (const [key, entry] of entries) {
    yield* between(decoding)
    decoding.work += key.length * PARSING
    if (!countConstants(decoding, at(defaultsPlace, key), entry)) return undefined
    const path = canonicalPath(key)
    if (path === undefined) refuse(decoding, at(defaultsPlace, key), faults.badDefaultPath(key))
    else if (defaults.has(path)) refuse(decoding, at(defaultsPlace, key), faults.repeatedDefault(key, path))
    else defaults.set(path, entry)
  }
  return defaults.size === entries.length ? defaults : undefined
}

function canonicalPath(key: string): string | undefined {
  const parsed = parsePath(key)
  return parsed.kind === 'parsed' && parsed.expression.kind === 'field' ? printPath(parsed.expression) : undefined
}

/** Maximum number: each field costs a commitment with its salt. */
const MAX_RECEIPT_FIELDS = 32
const NO_RECEIPT_FIELDS: readonly string[] = []

/** `receipt_fields`: paths of names, none inside another. */
function decodeReceiptFields(decoding: Decoding, place: Place, fields: Fields): readonly string[] | undefined {
  const value = optionalMember(fields, 'receipt_fields')
  if (value === undefined) return NO_RECEIPT_FIELDS
  const listPlace = at(place, 'receipt_fields')
  if (!isList(value)) return refuse(decoding, listPlace, faults.wrongType('a list of field paths', described(value)))
  if (value.length > MAX_RECEIPT_FIELDS)
    return refuse(decoding, listPlace, faults.tooManyReceiptFields(MAX_RECEIPT_FIELDS, value.length))
  const paths: string[] = []
  for (const [index, entry] of value.entries()) {
    const entryPlace = at(listPlace, index)
    if (typeof entry !== 'string') {
      refuse(decoding, entryPlace, faults.wrongType('a field path', described(entry)))
      continue
    }
    const path = namePath(entry)
    const other = path === undefined ? undefined : paths.find((one) => overlap(one, path))
    if (path === undefined) refuse(decoding, entryPlace, faults.badReceiptField(entry))
    else if (other !== undefined) refuse(decoding, entryPlace, faults.overlappingReceiptField(entry, other))
    else paths.push(path)
  }
  return paths.length === value.length ? paths : undefined
}

/** The dot-joined names of a path; undefined if the path contains anything else. */
function namePath(path: string): string | undefined {
  const parsed = parsePath(path)
  if (parsed.kind !== 'parsed' || parsed.expression.kind !== 'field') return undefined
  const names = parsed.expression.path.map((segment) => (segment.kind === 'name' ? segment.name : ''))
  return names.length > 0 && names.every((name) => name !== '' && !name.includes('.')) ? names.join('.') : undefined
}

const overlap = (left: string, right: string) =>
  `${left}.`.startsWith(`${right}.`) || `${right}.`.startsWith(`${left}.`)

function* decodeMetadata(
  decoding: Decoding,
  place: Place,
  fields: Fields,
): Pausable<ReadonlyMap<string, string> | undefined> {
  const value = optionalMember(fields, 'metadata')
  if (value === undefined) return NO_METADATA
  const metadataPlace = at(place, 'metadata')
  if (!isFields(value)) {
    return refuse(decoding, metadataPlace, faults.wrongType('an object from text to text', described(value)))
  }
  const metadata = new Map<string, string>()
  const entries = Object.entries(value)
  for (const [key, item] of entries) {
    yield* between(decoding)
    const entry = text(decoding, at(metadataPlace, key), item, METADATA_VALUE)
    if (entry !== undefined) metadata.set(key, entry)
  }
  return metadata.size === entries.length ? metadata : undefined
}
