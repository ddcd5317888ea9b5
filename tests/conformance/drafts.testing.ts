import type { Value } from '@engine/expression'
import { decideDraft } from '../../conformance/reference/draft.ts'
import { Failure, json, Unsupported, type Value as ReferenceValue } from '../../conformance/reference/value.ts'
import { inRange, pick, type Random } from '../../packages/ruleset/src/random.testing.ts'
import { NOW, zeroless } from './product.testing.ts'

/** A decision by a draft as JSON, or `error`; undefined: the documents leave it open. */
export function byReference(draft: Value, input: Value): string | undefined {
  try {
    const around = { now: NOW, rulesets: new Map() }
    const decision = decideDraft(draft as unknown as ReferenceValue, input as unknown as ReferenceValue, around)
    return zeroless(json(decision as unknown as ReferenceValue))
  } catch (error) {
    if (error instanceof Failure) return 'error'
    if (error instanceof Unsupported) return undefined
    throw error
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

const tableOf = (
  cells: readonly (readonly [input: string, output: string])[],
  rest: { readonly [member: string]: Value } = { hitPolicy: 'first' },
) => ({
  ...rest,
  columns: [
    { id: 'i', kind: 'input', field: 'a' },
    { id: 'o', kind: 'output', field: 'found' },
  ],
  rows: cells.map(([i, o], index) => ({ id: `r${index}`, cells: { i, o } })),
})

const SOME = [
  ['> 0', '1'],
  ['1', '2'],
  ['2.5', '4.5'],
  ['', '8'],
] as const

/** Every form of a cell, every hit policy and aggregate. */
export const TABLES: readonly { readonly [member: string]: Value }[] = [
  ...[
    ...CELLS,
    '1',
    '"text"',
    'null',
    '== 1',
    '!= 1',
    '< 2.5',
    '>= 2.5',
    'not in [1, "text"]',
    'in []',
    '[1..2.5]',
    '(1..2.5]',
    '("a".."u")',
    '? a == 1 || is_null(a)',
    '  > 1  ',
  ].map((cell) => tableOf([[cell, '"hit"']])),
  ...['first', 'unique', 'collect'].map((hitPolicy) => tableOf(SOME, { hitPolicy })),
  ...['sum', 'min', 'max', 'count'].map((aggregate) => tableOf(SOME, { hitPolicy: 'collect', aggregate })),
  ...['sum', 'min', 'max', 'count'].map((aggregate) =>
    tableOf([['"never"', '1']], { hitPolicy: 'collect', aggregate }),
  ),
  tableOf([['', '"no number"']], { hitPolicy: 'collect', aggregate: 'sum' }),
  tableOf([['', '']], { hitPolicy: 'collect' }),
  tableOf(
    [
      ['1', '"one"'],
      ['2.5', '"half"'],
    ],
    { hitPolicy: 'unique' },
  ),
  tableOf([
    ['1', 'a + 1'],
    ['', 'missing'],
  ]),
  tableOf([]),
  tableOf([], { hitPolicy: 'collect' }),
]
