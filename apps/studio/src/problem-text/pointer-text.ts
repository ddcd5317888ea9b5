import type { DraftGraph, DraftRuleset, DraftStep } from '@engine/authoring'
import { keysOfPointer } from '@engine/expression'
import type { Texts } from '../texts/en.ts'

/** The words for positions in the user's language. */
export type PlaceWords = Texts['places']

/** A ruleset, or a part of one with steps. */
type Document = Partial<DraftRuleset> & { readonly steps: DraftGraph['steps'] }

/**
 * Describes a JSON pointer into a draft in the author's terms: "Price by country, row 1, country". The keys of lists
 * are indexes, as in problems, or ids, as in merges. For an unknown pointer, its longest known prefix is described.
 * Cost: the length of the lists on the path.
 */
export function place(path: string, document: Document, words: PlaceWords): string {
  const keys = pointerKeys(path)
  if (keys[0] === 'ruleset') keys.shift()
  const [first, ...rest] = keys
  switch (first) {
    case undefined:
      return words.ruleset
    case 'config':
      return rest[0] === undefined ? words.ruleset : (memberOf(words.config, rest[0]) ?? rest[0])
    case 'startStepId':
      return words.firstStep
    case 'steps':
      return stepPlace(rest, document, words)
    case 'subRules': {
      const [name, ...within] = rest
      if (name === undefined) return words.ruleset
      const graph = memberOf(document.subRules ?? {}, name)
      const inner = graph === undefined || within.length === 0 ? [] : [graphPlace(within, graph, words)]
      return [words.subRule(name), ...inner].join(words.comma)
    }
    case 'samples': {
      const sample = itemAt(document.samples?.map((one) => ({ ...one, id: one.name })) ?? [], rest[0])
      return sample === undefined ? words.ruleset : words.sample(sample.name)
    }
    default:
      return words.ruleset
  }
}

function graphPlace(keys: readonly string[], graph: DraftGraph, words: PlaceWords): string {
  return keys[0] === 'steps' ? stepPlace(keys.slice(1), graph, words) : words.firstStep
}

/** The keys of a pointer; none for an invalid pointer. */
function pointerKeys(path: string): string[] {
  return path.startsWith('/') ? [...keysOfPointer(path)] : []
}

const memberOf = <Value>(all: { readonly [name: string]: Value }, name: string): Value | undefined =>
  Object.hasOwn(all, name) ? all[name] : undefined

/** The item with an id or at an index. Ids take precedence, since `0` is a valid step id. */
function itemAt<Item extends { readonly id: string }>(
  items: readonly Item[],
  key: string | undefined,
): Item | undefined {
  if (key === undefined) return undefined
  return items.find(({ id }) => id === key) ?? (/^\d+$/.test(key) ? items[Number(key)] : undefined)
}

/** The author's name of a step; for an unnamed result its code. */
const nameOfStep = (step: DraftStep): string =>
  step.name !== undefined && step.name !== ''
    ? step.name
    : ((step.type === 'terminal' ? step.code : undefined) ?? step.id)

function stepPlace(keys: readonly string[], { steps }: DraftGraph, words: PlaceWords): string {
  const step = itemAt(steps, keys[0])
  if (step === undefined) return words.ruleset
  return [nameOfStep(step), ...partsOf(step, keys.slice(1), words)].join(words.comma)
}

/** The position within a step, outermost part first. */
function partsOf(step: DraftStep, keys: readonly string[], words: PlaceWords): readonly string[] {
  const [list, key, ...rest] = keys
  switch (list) {
    case 'branches':
      return step.type === 'decision' ? branchParts(step.branches, key, rest, words) : []
    case 'assignments':
      return step.type === 'action' ? namedPart(step.assignments, key, rest, words, words.value) : []
    case 'output':
      return step.type === 'terminal' ? namedPart(step.output ?? [], key, rest, words, words.field) : []
    case 'columns':
      return step.type === 'table' ? columnParts(itemAt(step.columns, key), words) : []
    case 'rows':
      return step.type === 'table' ? rowParts(step, key, rest, words) : []
    case 'bindings': {
      const { field } = (step.type === 'sub_rule' && step.bindings[Number(key)]) || {}
      return field === undefined ? [] : [words.input(field)]
    }
    case 'outputs': {
      const { childVar } = (step.type === 'sub_rule' && step.outputs[Number(key)]) || {}
      return childVar === undefined ? [] : [words.result(childVar)]
    }
    case 'externalCalls':
      return /^\d+$/.test(key ?? '') ? [words.call(Number(key) + 1)] : []
    case undefined:
      return []
    default: {
      const word = memberOf(words.members, list)
      return word === undefined ? [] : [word]
    }
  }
}

function branchParts(
  branches: readonly { readonly id: string; readonly label?: string }[],
  key: string | undefined,
  [part]: readonly string[],
  words: PlaceWords,
): readonly string[] {
  const branch = itemAt(branches, key)
  if (branch === undefined) return []
  const target = part === 'nextStepId' ? [words.members.nextStepId] : []
  return [words.branch(branches.indexOf(branch) + 1, branch.label), ...target]
}

/** Describes an item by its name, otherwise by its index, and the part of it: its value or its name. */
function namedPart(
  list: readonly { readonly name?: string }[],
  key: string | undefined,
  [part]: readonly string[],
  words: PlaceWords,
  of: (name: string) => string,
): readonly string[] {
  const found = list.find(({ name }) => name !== undefined && name === key) ?? list[Number(key)]
  if (found === undefined) return []
  if (found.name === undefined || found.name === '') return [words.unnamed(list.indexOf(found) + 1)]
  return [part === 'name' ? words.nameOf(found.name) : of(found.name)]
}

const columnParts = (
  column: { readonly field?: string; readonly label?: string } | undefined,
  words: PlaceWords,
): readonly string[] => (column === undefined ? [] : [words.column(titleOfColumn(column) || words.members.field)])

/** The author's label of a column, otherwise its field. */
const titleOfColumn = ({ label, field = '' }: { readonly label?: string; readonly field?: string }): string =>
  label !== undefined && label !== '' ? label : field

function rowParts(
  { rows, columns }: Extract<DraftStep, { type: 'table' }>,
  key: string | undefined,
  [part, column]: readonly string[],
  words: PlaceWords,
): readonly string[] {
  const row = itemAt(rows, key)
  if (row === undefined) return []
  const number = words.row(rows.indexOf(row) + 1)
  if (part === 'cells') {
    const found = columns.find(({ id }) => id === column)
    return found === undefined ? [number] : [number, titleOfColumn(found) || words.members.field]
  }
  const word = part === undefined ? undefined : memberOf(words.members, part)
  return word === undefined ? [number] : [number, word]
}
