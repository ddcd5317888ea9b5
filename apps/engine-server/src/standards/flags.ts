import { isObject, type Value } from '@engine/expression'
import { refuseName } from '@engine/ruleset'
import { FileFields, within } from './file-fields.ts'

/** Types of values of OpenFeature. */
const FLAG_TYPES = ['boolean', 'string', 'integer', 'float', 'object'] as const
export type FlagType = (typeof FLAG_TYPES)[number]

/** How a decision becomes the value of a flag. */
export type FlagValue =
  /** `output.value` where the output has it; else the whole output unless it is empty; else the code. */
  | { readonly kind: 'auto' }
  | { readonly kind: 'code' }
  | { readonly kind: 'message' }
  /** A member of the output; no names: the whole output. */
  | { readonly kind: 'output'; readonly path: readonly string[] }
  /** Whether the code is one of these. */
  | { readonly kind: 'on'; readonly codes: ReadonlySet<string> }

/** How a ruleset is offered as a feature flag. */
export interface FlagForm {
  readonly value: FlagValue
  /** Undefined: as the ruleset gives it. */
  readonly type: FlagType | undefined
  /** Place of the targeting key in the input in addition to `targetingKey`; then a request must have the key. */
  readonly targeting: readonly string[] | undefined
}

/** A feature flag: a ruleset, and how its decision becomes a value. */
export interface Flag extends FlagForm {
  readonly key: string
  readonly ruleset: string
}

/** The flags of a server (docs/ofrep.md). */
export interface Flags {
  /** `all`: every ruleset is a flag, the listed ones have their own form. */
  readonly mode: 'all' | 'list'
  readonly listed: ReadonlyMap<string, Flag>
  /** The form of flags that are not listed. */
  readonly initial: FlagForm
  /** The text that distinguishes this configuration from another one. */
  readonly identity: string
}

/** A key of a flag, which clients put into paths without encoding it. */
export const FLAG_KEY = /^[A-Za-z0-9._-]{1,128}$/

const AUTO: FlagForm = { value: { kind: 'auto' }, type: undefined, targeting: undefined }

/** The flags without a file: every ruleset under its own name. */
export const ALL_RULESETS: Flags = { mode: 'all', listed: new Map(), initial: AUTO, identity: 'all' }

const FORM_MEMBERS = ['value', 'on', 'type', 'targeting'] as const

/** Reads a file of flags. Throws `ConfigurationFileError` that names every fault. */
export function decodeFlags(document: Value, mode: Flags['mode'], identity: string): Flags {
  const fields = new FileFields()
  const file = fields.members(document, '', ['$schema', 'flags', 'default'])
  if (file.flags === undefined && mode === 'list') fields.fault('flags', 'is missing')
  const listed = new Map<string, Flag>()
  if (file.flags !== undefined && !isObject(file.flags)) fields.fault('flags', 'must be an object of flags by key')
  for (const [key, value] of isObject(file.flags) ? Object.entries(file.flags) : []) {
    const place = `flags.${key.slice(0, 80)}`
    if (!FLAG_KEY.test(key))
      fields.fault(
        place,
        'is no key: it must be 1 to 128 letters, digits, `.`, `_` or `-`, which clients send unencoded',
      )
    const flag = fields.members(value, place, ['ruleset', ...FORM_MEMBERS])
    const ruleset = fields.requiredText(flag.ruleset, within(place, 'ruleset'))
    const refusal = ruleset === '' ? undefined : refuseName(ruleset)
    if (refusal !== undefined) fields.fault(within(place, 'ruleset'), `is no name of a ruleset: ${refusal}`)
    listed.set(key, { key, ruleset, ...formOf(fields, flag, place) })
  }
  if (listed.size > MAX_FLAGS)
    fields.fault('flags', `has ${listed.size} flags, at most ${MAX_FLAGS} are answered together`)
  const initial =
    file.default === undefined ? AUTO : formOf(fields, fields.members(file.default, 'default', FORM_MEMBERS), 'default')
  fields.refuseFaults()
  return { mode, listed, initial, identity }
}

/** Flags of one bulk evaluation. */
export const MAX_FLAGS = 1000

function formOf(
  fields: FileFields,
  { value, on, type, targeting }: { readonly [name in (typeof FORM_MEMBERS)[number]]?: Value },
  place: string,
): FlagForm {
  const codes = fields.texts(on, within(place, 'on'))
  const flagType = fields.word(type, within(place, 'type'), FLAG_TYPES)
  const form = valueOf(fields, value, codes, place)
  if (form.kind === 'on' && flagType !== undefined && flagType !== 'boolean')
    fields.fault(within(place, 'type'), 'contradicts `on`, which gives a boolean')
  const key = fields.text(targeting, within(place, 'targeting'))
  return {
    value: form,
    type: flagType,
    targeting: key === undefined ? undefined : pathOf(fields, key, within(place, 'targeting')),
  }
}

function valueOf(
  fields: FileFields,
  value: Value | undefined,
  codes: readonly string[] | undefined,
  place: string,
): FlagValue {
  const text = fields.text(value, within(place, 'value')) ?? (codes === undefined ? 'auto' : 'code')
  if (codes !== undefined) {
    if (text !== 'code') fields.fault(within(place, 'on'), 'lists codes, so `value` must be `code` or absent')
    return { kind: 'on', codes: new Set(codes) }
  }
  if (text === 'auto' || text === 'code' || text === 'message') return { kind: text }
  if (text === 'output') return { kind: 'output', path: [] }
  if (text.startsWith('output.'))
    return { kind: 'output', path: pathOf(fields, text.slice('output.'.length), within(place, 'value')) }
  fields.fault(
    within(place, 'value'),
    'must be `auto`, `code`, `message`, `output` or a member such as `output.percent`',
  )
  return { kind: 'auto' }
}

/** Names with dots between them. */
function pathOf(fields: FileFields, text: string, place: string): readonly string[] {
  const path = text.split('.')
  if (path.some((name) => name === '') || path.length > 32)
    fields.fault(place, 'must be at most 32 names with a dot between them')
  return path
}
