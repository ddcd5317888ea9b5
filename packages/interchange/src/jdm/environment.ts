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
  /** Members that are null count as absent where it is joined with others: so does what a node passes on. */
  readonly strips?: true
  /** It is a list instead: the text of it. */
  readonly list?: Text
}

export type Entry = Computed | { readonly kind: 'object'; readonly members: Environment }

interface Computed {
  readonly kind: 'value'
  readonly text: Text
  /** It may be absent, and then what lies behind it shows. */
  readonly maybe?: true
  /** It was joined with what lies behind it. */
  readonly settled?: true
}

export const NOTHING: Environment = { known: new Map() }

/** The environment whose members are those of a path. */
export const membersOf = (rest: Text): Environment => ({ known: new Map(), rest })

/** Two parts cannot be joined exactly. */
export type Joined = (what: string) => void

const isObjectless = ({ type }: Text) => type !== 'unknown' && type !== 'object'

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
  return entry.kind === 'value' ? entry.text : wholeOf(entry.members)
}

/** The environment with a value at a dotted key; a member of what is no object is left out, as ZEN does. */
export function withValue(
  environment: Environment,
  keys: readonly string[],
  computed: Omit<Computed, 'kind'>,
  joined: Joined,
): Environment {
  const [key = '', ...inner] = keys
  const known = new Map(environment.known)
  const before = known.get(key)
  if (inner.length === 0) known.set(key, { kind: 'value', ...computed })
  else if (before?.kind === 'value') {
    if (!isObjectless(before.text)) joined('a member of a value that is computed')
  } else {
    const members = before === undefined ? NOTHING : before.members
    known.set(key, { kind: 'object', members: withValue(members, inner, computed, joined) })
  }
  return { ...environment, known }
}

/** The environment as one member of another, at a dotted path. */
export function nested(environment: Environment, path: readonly string[]): Environment {
  return path.reduceRight<Environment>((members, key) => {
    const entry: Entry =
      members.list === undefined ? { kind: 'object', members } : { kind: 'value', text: members.list }
    return { known: new Map([[key, entry]]) }
  }, environment)
}

/** What becomes of an object when another is joined to it: its members take precedence, objects are joined in turn. */
export function joinOf(behind: Environment, front: Environment, joined: Joined): Environment {
  if (front.list !== undefined || behind.list !== undefined) {
    joined('a list and another value')
    return front
  }
  const known = new Map<string, Entry>()
  for (const [key, entry] of behind.known)
    known.set(key, front.known.has(key) ? entry : shownThrough(key, entry, front, joined))
  for (const [key, entry] of front.known)
    known.set(key, inFront(known.get(key), behind.rest, key, absentAsNull(entry, front), joined))
  const rest = front.rest ?? behind.rest
  if (front.rest !== undefined && behind.rest !== undefined && front.rest.text !== behind.rest.text)
    joined('two objects of which nothing is known')
  return rest === undefined ? { known } : { known, rest }
}

/** A known member behind an object that may have one of the same name. */
function shownThrough(key: string, entry: Entry, { rest, strips }: Environment, joined: Joined): Entry {
  if (rest === undefined) return entry
  if (entry.kind === 'object' || !isObjectless(entry.text)) joined('an object and a member of the same name')
  const own = memberOf(rest, key)
  if (strips === true) return { kind: 'value', text: call('coalesce', 'unknown', own, textOf(entry)) }
  return { kind: 'value', text: choice(call('exists', 'boolean', own), own, textOf(entry)) }
}

/** Types whose values are never null. */
const PRESENT: ReadonlySet<Text['type']> = new Set(['boolean', 'number', 'text', 'list', 'object'])

function absentAsNull(entry: Entry, { strips }: Environment): Entry {
  return strips === true && entry.kind === 'value' && !PRESENT.has(entry.text.type) ? { ...entry, maybe: true } : entry
}

/** A known member in front of what may have one of the same name. */
function inFront(known: Entry | undefined, rest: Text | undefined, key: string, entry: Entry, joined: Joined): Entry {
  const behind: Entry | undefined =
    known ?? (rest === undefined ? undefined : { kind: 'value', text: memberOf(rest, key) })
  if (behind === undefined) return entry
  if (entry.kind === 'object') {
    if (behind.kind === 'object') return { kind: 'object', members: joinOf(behind.members, entry.members, joined) }
    if (isObjectless(behind.text)) return entry
    return { kind: 'object', members: joinOf(membersOf(behind.text), entry.members, joined) }
  }
  const mayJoin =
    entry.settled !== true && !isObjectless(entry.text) && !(behind.kind === 'value' && isObjectless(behind.text))
  if (mayJoin) joined('two values that may be objects')
  if (entry.maybe !== true) return entry
  return { kind: 'value', text: call('coalesce', 'unknown', entry.text, textOf(behind)) }
}

/** A text that is equal for equal environments. */
export function signatureOf({ known, rest, list, strips }: Environment): string {
  const members = [...known].map(([key, entry]): unknown =>
    entry.kind === 'value' ? [key, entry.text.text, entry.maybe ?? false] : [key, signatureOf(entry.members)],
  )
  return JSON.stringify([members, rest?.text ?? '', list?.text ?? '', strips ?? false])
}
