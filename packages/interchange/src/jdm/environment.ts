import type { Path } from './zen/names.ts'
import { atom, call, choice, INPUT, isOf, memberOf, NULL, type Text } from './zen/text.ts'

/*
 * Static knowledge about a node's input: ZEN passes objects from node to node and merges those of several nodes; here
 * variables hold the parts. Computed members are known; the unknown rest, such as the input, is behind them.
 */

/** The object of a node. */
export interface Environment {
  readonly known: ReadonlyMap<string, Entry>
  /** A path that provides all members without a known entry. */
  readonly rest?: Text
  /**
   * The effect of a null member when merged in front of others: it removes the others' member, or counts as absent, as
   * in every node's input. `either`: depends on the input.
   */
  readonly nulls: 'removing' | 'absent' | 'either'
  /** The whole value may be null, and as a member then removes the member that it covers. */
  readonly mayBeNull?: true
  /** The value is a list instead, with this text. */
  readonly list?: Text
}

export type Entry = Computed | Members

export interface Members {
  readonly kind: 'object'
  readonly members: Environment
  /** It is an object even if none of its members was set. */
  readonly isCertain?: true
  /** The value when the condition does not hold: no member exists then. */
  readonly otherwise?: { readonly unless: Text; readonly value: Text }
}

interface Computed {
  readonly kind: 'value'
  readonly text: Text
  /** It may be absent, which makes the value behind it visible. */
  readonly maybe?: true
  /** Falls back to the value behind it when nothing was computed. */
  readonly filled?: true
  /** Already merged with the value behind it. */
  readonly settled?: true
}

export const NOTHING: Environment = { known: new Map(), nulls: 'removing' }

/** The environment with the members of a path. */
export const membersOf = (rest: Text): Environment => ({ ...NOTHING, rest })

/** Types that are never null. */
export const PRESENT: ReadonlySet<Text['type']> = new Set(['boolean', 'number', 'text', 'date', 'list', 'object'])

export const isObjectless = ({ type }: Text) => type !== 'unknown' && type !== 'object'

/** The value at a path. */
export function valueAt(environment: Environment, path: Path): Text {
  const [key, ...rest] = path
  if (key === undefined) return wholeOf(environment)
  const entry = environment.known.get(String(key))
  if (entry === undefined) return environment.rest === undefined ? NULL : path.reduce(memberOf, environment.rest)
  return entry.kind === 'object' ? valueAt(entry.members, rest) : rest.reduce(memberOf, entry.text)
}

/** The object at a path. */
export function environmentAt(environment: Environment, path: Path): Environment {
  const [key, ...rest] = path
  if (key === undefined) return environment
  const entry = environment.known.get(String(key))
  if (entry?.kind === 'object') return environmentAt(entry.members, rest)
  const value = valueAt(environment, path)
  return value === NULL ? NOTHING : membersOf(value)
}

/** The whole environment as one value. */
export function wholeOf({ known, rest, list }: Environment): Text {
  if (list !== undefined) return list
  if (known.size === 0) return rest ?? atom('{}', 'object')
  const members = [...known].map(([key, entry]) => `${JSON.stringify(key)}: ${textOf(entry).text}`)
  const own = atom(`{${members.join(', ')}}`, 'object')
  if (rest === undefined) return own
  const isKnown = rest === INPUT
  const behind = isKnown ? rest : choice(isOf('object', rest), rest, atom('{}', 'object'))
  return call('merge', 'object', behind, own)
}

/** The value of an entry. */
export function textOf(entry: Entry): Text {
  if (entry.kind === 'value') return entry.text
  const whole = wholeOf(entry.members)
  return entry.otherwise === undefined ? whole : choice(entry.otherwise.unless, whole, entry.otherwise.value)
}

/**
 * The environment with a value at a dotted key; a member of a non-object is dropped, as in ZEN.
 *
 * @param mayDiffer called when it becomes a member of a value that may be an object
 */
export function withValue(
  environment: Environment,
  keys: readonly string[],
  computed: Omit<Computed, 'kind'>,
  mayDiffer: () => void,
): Environment {
  const [key = '', ...inner] = keys
  const known = new Map(environment.known)
  const before = known.get(key)
  if (inner.length === 0) known.set(key, { kind: 'value', ...computed })
  else if (before?.kind === 'value') {
    if (!isObjectless(before.text)) mayDiffer()
  } else {
    const members = before === undefined ? NOTHING : before.members
    known.set(key, { kind: 'object', members: withValue(members, inner, computed, mayDiffer) })
  }
  return { ...environment, known }
}

/** Nests the environment at a dotted path of a new one. */
export function nested(environment: Environment, path: readonly string[]): Environment {
  return path.reduceRight<Environment>((members, key) => {
    const entry: Entry =
      members.list === undefined ? { kind: 'object', members, isCertain: true } : { kind: 'value', text: members.list }
    return { ...NOTHING, known: new Map([[key, entry]]) }
  }, environment)
}

const signatures = new WeakMap<Environment, string>()

/** A key that is equal for equal environments. */
export function signatureOf(environment: Environment): string {
  const known = signatures.get(environment)
  if (known !== undefined) return known
  const made = signatureFrom(environment)
  signatures.set(environment, made)
  return made
}

function signatureFrom({ known, rest, list, nulls, mayBeNull }: Environment): string {
  const members = [...known].map(([key, entry]) => [key, ...entrySignature(entry)])
  return JSON.stringify([members, textSignature(rest), textSignature(list), nulls, mayBeNull])
}

/** The type counts: the translation of what reads the value depends on it. */
const textSignature = (text: Text | undefined): unknown =>
  text && [text.text, text.type, ...(text.items ?? []).map(textSignature)]

function entrySignature(entry: Entry): readonly unknown[] {
  if (entry.kind === 'object') {
    const { members, isCertain, otherwise } = entry
    return [signatureOf(members), isCertain, textSignature(otherwise?.unless), textSignature(otherwise?.value)]
  }
  const { text, maybe, filled, settled } = entry
  return [textSignature(text), maybe, filled, settled]
}
