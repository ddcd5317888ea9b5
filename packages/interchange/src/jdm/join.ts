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
import { call, choice, comparison, eitherType, INPUT, memberOf, NULL, oneOf, type Text } from './zen/text.ts'

/*
 * ZEN joins objects in the way of JSON Merge Patch (RFC 7396): where several nodes lead to one, and where a node passes on
 * what it gets. A member in front takes precedence, two objects of one name are joined in turn, and null removes what lies
 * behind it. A member that is absent shows what lies behind it. So a join is exact where it is known which of two values
 * are objects, and which of them may be null or absent; where it is not, the conversion says so.
 */

/** Two values may both be objects; or members of an object may be hidden that show there, or the other way round. */
export type JoinDifference = 'join' | 'members'
export type Joined = (difference: JoinDifference) => void

/** Characters of a value behind others: one joined value may stand in the next one several times. */
const MAX_LENGTH = 4000

/** What becomes of an object when another is joined to it: its members take precedence, objects are joined in turn. */
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

/** What a node gets: members that are null are left out of it. */
export const passedOn = (environment: Environment): Environment => ({ ...environment, nulls: 'absent' })

/** Whether something of an object is there at any rate. */
const isPresent = ({ known, rest }: Environment): boolean =>
  rest === INPUT ||
  [...known.values()].some((entry) =>
    entry.kind === 'value' ? entry.maybe !== true && entry.filled !== true : isThere(entry),
  )

const isThere = ({ isCertain, members }: Members): boolean => isCertain === true || isPresent(members)

/** A value where it is there, else the one behind it. */
function shown(own: Text, maybe: boolean, nulls: Environment['nulls'], behind: Text, joined: Joined): Text {
  const isNullable = !PRESENT.has(own.type)
  if (nulls === 'removing' && isNullable && !maybe) return own
  if (nulls === 'removing' && isNullable && isPath(own)) return choice(call('exists', 'boolean', own), own, behind)
  if (nulls !== 'absent' && isNullable && behind.type !== 'null') joined('members')
  if (!isNullable && !maybe) return own
  return { ...call('coalesce', 'unknown', own, behind), type: eitherType(own.type, behind.type) }
}

const isPath = ({ text }: Text) => /^[\w.$]+$/.test(text)

/** What lies behind is left out then. */
function isTooLong({ text }: Text, joined: Joined): boolean {
  if (text.length <= MAX_LENGTH) return false
  joined('members')
  return true
}

/** A known member behind an object that may have one of the same name. */
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
  return { kind: 'value', text: choice(call('is_object', 'boolean', own), both, text) }
}

/** A known member in front of what may have one of the same name. */
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
    const unless = isObjectless(behind.text) ? set : oneOf(call('is_object', 'boolean', behind.text), set)
    return { kind: 'object', members, otherwise: { unless, value: behind.text } }
  }
  if (behind.otherwise === undefined) return { kind: 'object', members }
  return { kind: 'object', members, otherwise: { ...behind.otherwise, unless: oneOf(behind.otherwise.unless, set) } }
}

/** A condition that holds where something of an object was set, as long as nothing else lies behind it. */
function presenceOf({ known }: Environment, joined: Joined): Text {
  const conditions = [...known.values()].map((entry) => {
    if (entry.kind === 'object') return presenceOf(entry.members, joined)
    if (!isPath(entry.text) || (entry.filled === true && entry.isNullable === true)) joined('members')
    return entry.filled === true ? comparison('!=', entry.text, NULL) : call('exists', 'boolean', entry.text)
  })
  return oneOf(...conditions)
}
