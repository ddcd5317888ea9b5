import { defined, type Field, locator, printPath, type Segment, type Span, walk } from '@engine/expression'
import { parseText } from '../expression-text.ts'
import { pointer } from '@engine/ruleset'
import { readingOf } from './references.ts'
import { below } from '../place.ts'
import type { DraftRuleset } from '../draft/model.ts'
import { type ReadingText, readingTexts } from '../draft/texts.ts'

/** A place where a draft reads an input field. */
export interface FieldRead {
  /** Undefined for a default in the configuration. */
  readonly step_id?: string
  /** JSON pointer into the draft. */
  readonly path: string
  /** The path read there. */
  readonly reads: string
  /** One-based, in the text at `path`; `length` in UTF-16 units. */
  readonly line: number
  readonly column: number
  readonly length: number
}

export interface FieldReads {
  /** The first ones, in draft order. */
  readonly places: readonly FieldRead[]
  /** All of them. */
  readonly count: number
}

/** Maximum number of places returned for one draft. */
const MAX_PLACES = 100

/**
 * Places where a draft reads an input field, a part of it, or an object or list that contains it: conditions,
 * expressions, table columns, defaults. The draft's sub-rules read their bindings instead of the input and are
 * excluded. A text that is not yet a valid expression reads nothing. Linear in the size of the draft.
 */
export function fieldReads(draft: DraftRuleset, name: string): FieldReads {
  const wanted = readingOf(name)
  const places: FieldRead[] = []
  let count = 0
  if (wanted?.kind !== 'field') return { places, count }
  const add = (read: FieldRead) => {
    if (places.length < MAX_PLACES) places.push(read)
    count++
  }
  for (const [index, step] of draft.steps.entries())
    for (const text of readingTexts(step, below(undefined, 'steps', index)))
      for (const read of readsOf(text, wanted.path)) add({ step_id: step.id, ...read })
  for (const text of defaultsOf(draft)) for (const read of readsOf(text, wanted.path)) add(read)
  return { places, count }
}

/** The keys of defaults are paths. */
function defaultsOf({ config: { defaults = {} } }: DraftRuleset): readonly ReadingText[] {
  return Object.keys(defaults).map((key) => ({
    place: below(undefined, 'config', 'defaults', key),
    text: key,
    kind: 'path',
    start: 0,
  }))
}

function readsOf({ place, text, kind, start }: ReadingText, wanted: Field['path']): readonly FieldRead[] {
  const found = kind === 'path' ? pathRead(text) : fieldsIn(text.slice(start))
  const reads = found.filter(({ path }) => isAlongside(path, wanted))
  if (reads.length === 0) return []
  const locate = locator(text)
  return reads
    .toSorted((left, right) => left.span.start - right.span.start)
    .map(({ path, span }) => ({
      path: pointer(place),
      reads: printPath({ kind: 'field', path, span }),
      ...locate(start + span.start),
      length: Math.max(1, span.end - span.start),
    }))
}

interface Read {
  readonly path: Field['path']
  readonly span: Span
}

function pathRead(text: string): readonly Read[] {
  const reading = readingOf(text)
  return reading?.kind === 'field' ? [{ path: reading.path, span: { start: 0, end: text.length } }] : []
}

function fieldsIn(text: string): readonly Read[] {
  const parsed = parseText(text)
  if (parsed.kind === 'failed') return []
  const found: Read[] = []
  walk(parsed.expression, (node) => {
    if (node.kind === 'field') found.push(node)
  })
  return found
}

/** Whether one path is a prefix of the other. All items of a list count as the same field. */
function isAlongside(one: Field['path'], other: Field['path']): boolean {
  const length = Math.min(one.length, other.length)
  return one.slice(0, length).every((segment, index) => isSame(segment, defined(other[index])))
}

const isSame = (one: Segment, other: Segment) =>
  one.kind === 'name' || other.kind === 'name'
    ? one.kind === 'name' && other.kind === 'name' && one.name === other.name
    : true
