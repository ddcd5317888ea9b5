import {
  type Entry,
  type Environment,
  isObjectless,
  type Members,
  membersOf,
  NOTHING,
  PRESENT,
  textOf,
  wholeOf,
} from './environment.ts'
import {
  call,
  choice,
  comparison,
  eitherType,
  exists,
  INPUT,
  isOf,
  memberOf,
  NULL,
  oneOf,
  type Text,
} from './zen/text.ts'

/*
 * ZEN merges objects like JSON Merge Patch (RFC 7396): when several nodes lead to one, and when a node passes on its
 * input. A member in front takes precedence, two objects of the same name are merged recursively, and null removes the
 * member behind it. An absent member leaves the one behind it visible. A merge is exact when it is known which values
 * are objects and which may be null or absent; otherwise the conversion reports a difference.
 */

/** Two values may both be objects; or members may be hidden that ZEN shows, or vice versa. */
export type JoinDifference = 'join' | 'members'
export type Joined = (difference: JoinDifference) => void

/** Maximum length of a merged value: it may occur in the next one several times. */
const MAX_LENGTH = 4000

/** Merges an object in front of another: its members take precedence, objects are merged recursively. */
export function joinOf(behind: Environment, front: Environment, joined: Joined): Environment {
  if (front.list !== undefined) return front
  if (behind.list !== undefined) {
    if (!isPresent(front)) joined('members')
    return front
  }
  const known = new Map<string, Entry>()
  for (const [key, entry] of behind.known)
    known.set(key, front.known.has(key) ? entry : shownThrough(key, entry, front, joined))
  for (const [key, entry] of front.known)
    known.set(key, inFront(known.get(key), behind.rest, key, entry, front, joined))
  const rest = front.rest ?? behind.rest
  if (front.rest !== undefined && behind.rest !== undefined && front.rest.text !== behind.rest.text) joined('members')
  return rest === undefined ? { known, nulls: 'either' } : { known, rest, nulls: 'either' }
}

/** The input of a node, without null members. */
export const passedOn = (environment: Environment): Environment => ({ ...environment, nulls: 'absent' })

/** Whether an object certainly has a member. */
const isPresent = ({ known, rest }: Environment): boolean =>
  rest === INPUT ||
  [...known.values()].some((entry) =>
    entry.kind === 'value' ? entry.maybe !== true && entry.filled !== true : isThere(entry),
  )

const isThere = ({ isCertain, members }: Members): boolean => isCertain === true || isPresent(members)

/** A value when present, else the one behind it. */
function shown(own: Text, maybe: boolean, nulls: Environment['nulls'], behind: Text, joined: Joined): Text {
  const isNullable = !PRESENT.has(own.type)
  if (nulls === 'removing' && isNullable && !maybe) return own
  if (nulls === 'removing' && isNullable && isPath(own)) return choice(exists(own), own, behind)
  if (nulls !== 'absent' && isNullable && behind.type !== 'null') joined('members')
  if (!isNullable && !maybe) return own
  return { ...call('coalesce', 'unknown', own, behind), type: eitherType(own.type, behind.type) }
}

const isPath = ({ text }: Text) => /^[\w.$]+$/.test(text)

/** The value behind is dropped when the text would be too long. */
function isTooLong({ text }: Text, joined: Joined): boolean {
  if (text.length <= MAX_LENGTH) return false
  joined('members')
  return true
}

/** A known member behind an object that may have a member of the same name. */
function shownThrough(key: string, entry: Entry, { rest, nulls }: Environment, joined: Joined): Entry {
  if (rest === undefined) return entry
  const own = memberOf(rest, key)
  const behind = textOf(entry)
  if (isTooLong(behind, joined)) return { kind: 'value', text: own }
  const text = shown(own, true, nulls, behind, joined)
  if (entry.kind === 'value') {
    if (!isObjectless(behind) && behind.text !== own.text) joined('join')
    return { kind: 'value', text }
  }
  const both = wholeOf(joinOf(entry.members, membersOf(own), joined))
  return { kind: 'value', text: choice(isOf('object', own), both, text) }
}

/** A known member in front of an object that may have a member of the same name. */
function inFront(
  known: Entry | undefined,
  rest: Text | undefined,
  key: string,
  entry: Entry,
  { nulls }: Environment,
  joined: Joined,
): Entry {
  const behind: Entry | undefined =
    known ?? (rest === undefined ? undefined : { kind: 'value', text: memberOf(rest, key) })
  if (behind === undefined) return entry
  if (entry.kind === 'object') return objectInFront(behind, entry, joined)
  const text = textOf(behind)
  if (isTooLong(text, joined)) return { kind: 'value', text: entry.text }
  const mayJoin = entry.settled !== true && !isObjectless(entry.text) && !isObjectless(text)
  if (mayJoin && entry.text.text !== text.text) joined('join')
  return { kind: 'value', text: shown(entry.text, entry.maybe === true, nulls, text, joined) }
}

function objectInFront(behind: Entry, entry: Members, joined: Joined): Entry {
  if (isTooLong(textOf(behind), joined)) return entry
  const isNull = behind.kind === 'value' && behind.text.type === 'null'
  if ((entry.members.mayBeNull === true || entry.otherwise !== undefined) && !isNull) joined('members')
  const object =
    behind.kind === 'object' ? behind.members : isObjectless(behind.text) ? NOTHING : membersOf(behind.text)
  const members = joinOf(object, entry.members, joined)
  if (isThere(entry) || (behind.kind === 'object' && behind.otherwise === undefined && isThere(behind)))
    return { kind: 'object', members, isCertain: true }
  if (isNull) return { kind: 'object', members }
  const set = presenceOf(entry.members, joined)
  if (behind.kind === 'value') {
    const unless = isObjectless(behind.text) ? set : oneOf(isOf('object', behind.text), set)
    return { kind: 'object', members, otherwise: { unless, value: behind.text } }
  }
  if (behind.otherwise === undefined) return { kind: 'object', members }
  return { kind: 'object', members, otherwise: { ...behind.otherwise, unless: oneOf(behind.otherwise.unless, set) } }
}

/** A condition that holds when any member of an object was set, provided that nothing else is behind it. */
function presenceOf({ known }: Environment, joined: Joined): Text {
  const conditions = [...known.values()].map((entry) => {
    if (entry.kind === 'object') return presenceOf(entry.members, joined)
    if (!isPath(entry.text)) joined('members')
    return entry.filled === true ? comparison('!=', entry.text, NULL) : exists(entry.text)
  })
  return oneOf(...conditions)
}
