import { convertDraft, decodeDraft } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { decideDraft } from '../../conformance/reference/draft.ts'
import { Failure, json, Unsupported, type Value as ReferenceValue } from '../../conformance/reference/value.ts'
import { inRange, pick, type Random } from '../../packages/ruleset/src/random.testing.ts'
import { NOW } from './expressions.testing.ts'
import { programsOf } from './rulesets.testing.ts'

/** A decision by a draft as JSON, or `error`; undefined: the documents leave it open. */
export function byReference(draft: Value, input: Value): string | undefined {
  try {
    const around = { now: NOW, rulesets: new Map() }
    const decision = decideDraft(draft as unknown as ReferenceValue, input as unknown as ReferenceValue, around)
    return json(decision as unknown as ReferenceValue).replaceAll(/(?<![\d.eE+])-0(?![\d.])/g, '0')
  } catch (error) {
    if (error instanceof Failure) return 'error'
    if (error instanceof Unsupported) return undefined
    throw error
  }
}

/** A draft as each way decides that executes what engines get; undefined: it has errors. */
export function programsOfDraft(document: Value) {
  const { draft } = decodeDraft(document)
  const { ruleset } = draft === undefined ? {} : convertDraft(draft)
  return ruleset === undefined ? undefined : programsOf(ruleset as unknown as Value)
}

/** A draft of one table, whose outputs are those of the decision. */
export function draftOfTable(table: { readonly [member: string]: Value }): Value {
  const columns = (table['columns'] ?? []) as readonly { readonly kind: string; readonly field: string }[]
  const names = columns.filter(({ kind }) => kind === 'output').map(({ field }) => field)
  const start = { id: 'start', type: 'action', assignments: names.map((name) => ({ name, value: 'null' })) }
  const output = names.map((name) => ({ name, value: `$${name}` }))
  const end = (id: string, code: string) => ({ id, type: 'terminal', code, output })
  return {
    config: { name: 'table' },
    startStepId: 'start',
    steps: [
      { ...start, nextStepId: 'table' },
      { ...table, id: 'table', type: 'table', nextStepId: 'done', defaultNextStepId: 'none' },
      end('done', 'DONE'),
      end('none', 'NO_MATCH'),
    ],
  }
}

const NUMBERS = ['0', '1', '2.5', '9007199254740993', '9007199254740992', '-3', '18446744073709551616']
const CELLS = [
  '',
  '> 1',
  '<= 2.5',
  '== 9007199254740993',
  '!= 0',
  'in [1, 2.5, null]',
  '[1..2.5)',
  '(0..9007199254740993]',
]

/** A table beyond the rows that are converted together (500), with integers that doubles do not have. */
export function largeTable(random: Random): { readonly [member: string]: Value } {
  const hitPolicy = pick(random, ['collect', 'collect', 'first', 'unique'])
  const aggregate = hitPolicy === 'collect' ? pick(random, ['', 'sum', 'min', 'max', 'count']) : ''
  const isRare = hitPolicy === 'unique'
  return {
    hitPolicy,
    ...(aggregate !== '' && { aggregate }),
    columns: [
      { id: 'i', kind: 'input', field: 'a' },
      { id: 'o', kind: 'output', field: 'found' },
    ],
    rows: Array.from({ length: inRange(random, 480, 1100) }, (_, index) => ({
      id: `r${index}`,
      cells: { i: isRare && index % 397 !== 0 ? '== "never"' : pick(random, CELLS), o: pick(random, [...NUMBERS, '']) },
    })),
  }
}

/** Values of the column of such a table. */
export const TABLE_INPUTS: readonly Value[] = [
  { a: 1 },
  { a: 2.5 },
  { a: 9007199254740993n },
  { a: 9007199254740992n },
  { a: null },
  { a: 'text' },
  {},
]
