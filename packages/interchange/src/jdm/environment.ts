import type { Path } from './zen/names.ts'
import { atom, call, choice, INPUT, memberOf, NULL, type Text } from './zen/text.ts'

/*
 * What is known of the data that a node gets: ZEN hands objects from node to node, and joins those of several nodes, and
 * here variables hold the parts. Members that a node computes are known; behind them may lie an object of which nothing
 * is known, the input.
 */

/** The object of a node. */
export interface Environment {
  readonly known: ReadonlyMap<string, Entry>
  /** A path whose members show where none of the same name is known. */
  readonly rest?: Text
  /**
   * What a member that is null does where it is joined in front of others: it removes what lies behind it, or counts as
   * absent, as in all that a node gets. `either`: this depends on the input.
   */
  readonly nulls: 'removing' | 'absent' | 'either'
  /** All of it may be null, and then removes what lies behind it where it is a member. */
  readonly mayBeNull?: true
  /** It is a list instead: the text of it. */
  readonly list?: Text
}

export type Entry = Computed | Members

export interface Members {
  readonly kind: 'object'
  readonly members: Environment
  /** It is an object also where none of its members was set. */
  readonly isCertain?: true
  /** What is there in its place where the condition does not hold: none of the members is there then. */
  readonly otherwise?: { readonly unless: Text; readonly value: Text }
}

interface Computed {
  readonly kind: 'value'
  readonly text: Text
  /** It may be absent, and then what lies behind it shows. */
  readonly maybe?: true
  /** Where nothing was computed it is what lies behind it. */
  readonly filled?: true
  /** What was computed may be null. */
  readonly isNullable?: true
  /** It was joined with what lies behind it. */
  readonly settled?: true
}

export const NOTHING: Environment = { known: new Map(), nulls: 'removing' }

/** The environment whose members are those of a path. */
export const membersOf = (rest: Text): Environment => ({ ...NOTHING, rest })

/** Types whose values are never null. */
export const PRESENT: ReadonlySet<Text['type']> = new Set(['boolean', 'number', 'text', 'list', 'object'])

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

/** All of it as one value. */
export function wholeOf({ known, rest, list }: Environment): Text {
  if (list !== undefined) return list
  if (known.size === 0) return rest ?? atom('{}', 'object')
  const members = [...known].map(([key, entry]) => `${JSON.stringify(key)}: ${textOf(entry).text}`)
  const own = atom(`{${members.join(', ')}}`, 'object')
  if (rest === undefined) return own
  const isKnown = rest === INPUT
  const behind = isKnown ? rest : choice(call('is_object', 'boolean', rest), rest, atom('{}', 'object'))
  return call('merge', 'object', behind, own)
}

/** The value of an entry. */
export function textOf(entry: Entry): Text {
  if (entry.kind === 'value') return entry.text
  const whole = wholeOf(entry.members)
  return entry.otherwise === undefined ? whole : choice(entry.otherwise.unless, whole, entry.otherwise.value)
}

/**
 * The environment with a value at a dotted key; a member of what is no object is left out, as ZEN does.
 *
 * @param mayDiffer told where it becomes a member of a value that may be an object
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

/** The environment as one member of another, at a dotted path. */
export function nested(environment: Environment, path: readonly string[]): Environment {
  return path.reduceRight<Environment>((members, key) => {
    const entry: Entry =
      members.list === undefined ? { kind: 'object', members, isCertain: true } : { kind: 'value', text: members.list }
    return { ...NOTHING, known: new Map([[key, entry]]) }
  }, environment)
}

const signatures = new WeakMap<Environment, string>()

/** A text that is equal for equal environments. */
export function signatureOf(environment: Environment): string {
  const known = signatures.get(environment)
  if (known !== undefined) return known
  const made = signatureFrom(environment)
  signatures.set(environment, made)
  return made
}

function signatureFrom({ known, rest, list, nulls, mayBeNull }: Environment): string {
  const members = [...known].map(([key, entry]) => [key, ...entrySignature(entry)])
  return JSON.stringify([members, rest?.text ?? '', list?.text ?? '', nulls, mayBeNull ?? false])
}

function entrySignature(entry: Entry): readonly unknown[] {
  if (entry.kind === 'object') {
    const { members, isCertain, otherwise } = entry
    return [signatureOf(members), isCertain ?? false, otherwise?.unless.text ?? '', otherwise?.value.text ?? '']
  }
  const { text, maybe, filled, isNullable, settled } = entry
  return [text.text, maybe ?? false, filled ?? false, isNullable ?? false, settled ?? false]
}
