import { isObject, type Value } from '@engine/expression'
import { refuseName } from '@engine/ruleset'
import { FileFields, within } from './file-fields.ts'

/** Value types of OpenFeature. */
const FLAG_TYPES = ['boolean', 'string', 'integer', 'float', 'object'] as const
export type FlagType = (typeof FLAG_TYPES)[number]

/** The conversion of a decision to the value of a flag. */
export type FlagValue =
  /** `output.value` if it exists; otherwise the whole output, or the code if the output is empty. */
  | { readonly kind: 'auto' }
  | { readonly kind: 'code' }
  | { readonly kind: 'message' }
  /** A member of the output; without names: the whole output. */
  | { readonly kind: 'output'; readonly path: readonly string[] }
  /** True if the code is one of these. */
  | { readonly kind: 'on'; readonly codes: ReadonlySet<string> }

/** How a ruleset becomes a feature flag. */
export interface FlagForm {
  readonly value: FlagValue
  /** Undefined: the type of the ruleset's value. */
  readonly type: FlagType | undefined
  /** Path of the targeting key in the input, in addition to `targetingKey`; a request must then have the key. */
  readonly targeting: readonly string[] | undefined
}

/** A feature flag: a ruleset, and the conversion of its decision to a value. */
export interface Flag extends FlagForm {
  readonly key: string
  readonly ruleset: string
}

/** The flags of a server (docs/ofrep.md). */
export interface Flags {
  /** `all`: every ruleset is a flag; listed ones have their own form. */
  readonly mode: 'all' | 'list'
  readonly listed: ReadonlyMap<string, Flag>
  /** The form of flags that are not listed. */
  readonly initial: FlagForm
  /** A text that differs between configurations. */
  readonly identity: string
}

/** A key of a flag, which clients put into paths without encoding it. */
const FLAG_KEY = /^[A-Za-z0-9._-]{1,128}$/

const AUTO: FlagForm = { value: { kind: 'auto' }, type: undefined, targeting: undefined }

/** The flags if no file is configured: every ruleset under its own name. */
export const ALL_RULESETS: Flags = { mode: 'all', listed: new Map(), initial: AUTO, identity: 'all' }

const FORM_MEMBERS = ['value', 'on', 'type', 'targeting'] as const

/** Decodes a flags file. Throws a `ConfigurationFileError` that names every fault. */
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

/** Maximum number of flags of one bulk evaluation. */
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

/** A path in dotted notation. */
function pathOf(fields: FileFields, text: string, place: string): readonly string[] {
  const path = text.split('.')
  if (path.some((name) => name === '') || path.length > 32)
    fields.fault(place, 'must be at most 32 names with a dot between them')
  return path
}
