import { defined, isObject, nearest, type ObjectValue, type Segment, type Value } from '@engine/expression/core'
import { fieldReads } from './field-reads.ts'
import type { Ruleset } from './model.ts'

/** Fields of an input that probably have the wrong name. */
export interface InputUse {
  /** Fields that a visited step may read and that the input lacks. */
  readonly read_but_missing: readonly SuspectField[]
  /** Fields of the input that no step of the ruleset reads. */
  readonly given_but_unread: readonly SuspectField[]
}

/** A field, and the field of the other side that was probably meant. */
export interface SuspectField {
  readonly field: string
  readonly nearest: string | null
}

/** Maximum number of fields in each list. */
const MAX_FIELDS = 100

/** Maximum number of members of an input that are compared. */
const MAX_MEMBERS = 10_000

/** The names of the path to a field, up to its first index or wildcard. */
type Names = readonly string[]

/**
 * Compares the members of an input with the fields that a ruleset reads. Linear in the expressions of the visited steps
 * and in the members of the input, of which at most 10,000 are compared; the names of at most 100 fields per list are
 * compared with each other.
 *
 * @param visited ids of the steps that the execution entered
 */
export function inputUse(ruleset: Ruleset, visited: Iterable<string>, input: Value): InputUse {
  const { byStep, all } = readsOf(ruleset)
  /** By field, the path up to its first missing name. */
  const missing = new Map<string, string>()
  for (const id of new Set(visited))
    for (const [text, names] of byStep.get(id) ?? []) {
      const given = givenNames(input, names)
      if (missing.size < MAX_FIELDS && given < names.length) missing.set(text, names.slice(0, given + 1).join('.'))
    }
  const unread = unreadMembers(input, all)
  const unreadFields = unread.map(({ field }) => field)
  return {
    read_but_missing: Array.from(missing, ([field, path]) => ({ field, nearest: nearest(path, unreadFields) ?? null })),
    given_but_unread: unread.map(({ field, absent }) => ({ field, nearest: nearest(field, absent) ?? null })),
  }
}

/** The names that any step reads: a tree whose leaves are read as a whole. */
type ReadTree = Map<string, ReadTree | undefined>

interface Reads {
  readonly byStep: ReadonlyMap<string, ReadonlyMap<string, Names>>
  /** Undefined if some step reads the whole input. */
  readonly all: ReadTree | undefined
}

const known = new WeakMap<Ruleset, Reads>()

function readsOf(ruleset: Ruleset): Reads {
  const found = known.get(ruleset) ?? allReads(ruleset)
  known.set(ruleset, found)
  return found
}

function allReads(ruleset: Ruleset): Reads {
  const byStep = new Map<string, Map<string, Names>>()
  const tree: ReadTree = new Map()
  let readsAll = false
  for (const [step, reads] of fieldReads(ruleset)) {
    const fields = new Map<string, Names>()
    for (const { field } of reads.values()) {
      const names = namesOf(field.path)
      if (names.length === 0) readsAll = true
      else fields.set(names.join('.'), names)
    }
    byStep.set(step, fields)
    for (const names of fields.values()) addTo(tree, names)
  }
  return { byStep, all: readsAll ? undefined : tree }
}

function namesOf(path: readonly Segment[]): Names {
  const end = path.findIndex(({ kind }) => kind !== 'name')
  return path
    .slice(0, end < 0 ? path.length : end)
    .flatMap((segment) => (segment.kind === 'name' ? [segment.name] : []))
}

function addTo(tree: ReadTree, names: Names): void {
  let inner = tree
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1
    const next = inner.get(name)
    if (inner.has(name) && next === undefined) return
    if (isLast) {
      inner.set(name, undefined)
      return
    }
    const below: ReadTree = next ?? new Map()
    inner.set(name, below)
    inner = below
  }
}

/** The number of leading names that the input has. */
function givenNames(input: Value, names: Names): number {
  let value: Value | undefined = input
  for (const [index, name] of names.entries()) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return index
    value = value[name]
  }
  return names.length
}

interface UnreadMember {
  readonly field: string
  /** Fields of the same object that some step reads but the input lacks. */
  readonly absent: readonly string[]
}

function unreadMembers(input: Value, all: ReadTree | undefined): readonly UnreadMember[] {
  if (all === undefined) return []
  const unread: UnreadMember[] = []
  const pending: { readonly value: Value; readonly tree: ReadTree; readonly prefix: string }[] = [
    { value: input, tree: all, prefix: '' },
  ]
  let left = MAX_MEMBERS
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, tree, prefix } = next
    if (!isObject(value)) continue
    let absent: readonly string[] | undefined
    for (const name of Object.keys(value)) {
      if (--left < 0 || unread.length === MAX_FIELDS) return unread
      if (!tree.has(name)) {
        absent ??= absentFields(value, tree, prefix)
        unread.push({ field: `${prefix}${name}`, absent })
      }
      const below = tree.get(name)
      if (below !== undefined) pending.push({ value: defined(value[name]), tree: below, prefix: `${prefix}${name}.` })
    }
  }
  return unread
}

function absentFields(value: ObjectValue, tree: ReadTree, prefix: string): readonly string[] {
  const absent: string[] = []
  for (const name of tree.keys()) {
    if (absent.length === MAX_FIELDS) break
    if (!Object.hasOwn(value, name)) absent.push(`${prefix}${name}`)
  }
  return absent
}
