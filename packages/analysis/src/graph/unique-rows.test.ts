import { parse, print } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { chosenRow, uniqueRowsOf } from './unique-rows.ts'

const ROWS = 'array_concat($rows, flatten([if a > 1 then ["r1"] else [], if b then ["r2"] else []]))'
const LAST = 'if len($rows) > 1 then to_number("x") else (if len($rows) == 1 then $rows[0] else null)'

const set = (name: string, value: string) => ({ action: 'set_variable', name, value })
const table = (last = LAST, rows = ROWS) => [set('rows', '[]'), set('rows', rows), set('rows', last)]

/** The ids and conditions of the rows that actions test. */
function rowsOf(actions: readonly object[]) {
  const { ruleset, problems } = decodeRuleset({
    config: { name: 'r', entry_step: 'd' },
    steps: {
      d: { id: 'd', type: 'action', actions, next_step: 'X' },
      X: { id: 'X', type: 'terminal', result: { code: 'X', message: '' } },
    },
  } as never)
  const step = ruleset?.steps.get('d')
  if (step?.type !== 'action') throw new Error(JSON.stringify(problems))
  return uniqueRowsOf(step.actions)
}

test('the rows of a table of which at most one may match', () => {
  const found = rowsOf(table())
  expect(found?.variable).toBe('rows')
  expect(found?.rows.map(({ id, condition }) => [id, print(condition)])).toEqual([
    ['r1', '(a > 1)'],
    ['r2', 'b'],
  ])
  expect(found && print(found.fault)).toBe('to_number("x")')
})

test('rows of several actions count in their order', () => {
  const more = set('rows', 'array_concat($rows, flatten([if c then ["r3"] else []]))')
  const [first, second, last] = table()
  expect(rowsOf([first, second, more, last].flatMap((one) => one ?? []))?.rows.map(({ id }) => id)).toEqual([
    'r1',
    'r2',
    'r3',
  ])
})

test.each([
  [100, 100],
  [101, undefined],
])('%d rows are modelled as %s', (count, expected) => {
  const items = Array.from({ length: count }, (_, index) => `if a == ${index} then ["r${index}"] else []`)
  expect(rowsOf(table(LAST, `array_concat($rows, flatten([${items.join()}]))`))?.rows.length).toBe(expected)
})

const [first, second, last] = table() as [object, object, object]
const log = { action: 'log', message: 'x' }

test.each<[why: string, actions: readonly object[]]>([
  ['no actions', []],
  ['only a first and a last one', [first, last]],
  ['another first action', [log, second, last]],
  ['another last action', [first, second, log]],
  ['another action between', [first, second, log, last]],
  ['a first value that is not empty', [set('rows', '[1]'), second, last]],
  ['another last variable', [first, second, set('other', LAST)]],
  ['another variable between', [first, set('other', ROWS), last]],
  ['a last value without a condition', table('$rows[0]')],
  ['another limit of rows', table(LAST.replace('> 1', '> 2'))],
  ['another failure', table(LAST.replace('to_number("x")', 'to_string("x")'))],
  ['a failure that is no call', table(LAST.replace('to_number("x")', 'a.b'))],
  ['nothing for one row', table('if len($rows) > 1 then to_number("x") else null')],
  ['another number of rows for the first', table(LAST.replace('== 1', '== 2'))],
  ['another row than the first', table(LAST.replace('$rows[0]', '$rows[1]'))],
  ['a value for no row', table(LAST.replace('null', '5'))],
  ['rows that are not joined', table(LAST, '[1]')],
  ['rows joined by another function', table(LAST, ROWS.replace('array_concat', 'coalesce'))],
  ['rows joined to others', table(LAST, ROWS.replace('$rows', '$others'))],
  ['rows that are not flat', table(LAST, ROWS.replace('flatten', 'unique'))],
  ['rows that no list has', table(LAST, 'array_concat($rows, flatten(a))')],
  ['a row without a condition', table(LAST, 'array_concat($rows, flatten([["r1"]]))')],
  ['a row with another value', table(LAST, ROWS.replace('else []', 'else [1]'))],
  ['a row of two ids', table(LAST, ROWS.replace('["r1"]', '["r1", "r3"]'))],
  ['a row of no text', table(LAST, ROWS.replace('["r1"]', '[1]'))],
  ['a row of no list', table(LAST, ROWS.replace('["r1"]', '"r1"'))],
])('actions are something else: %s', (_why, actions) => {
  expect(rowsOf(actions)).toBeUndefined()
})

test('the row that matches is chosen from the first to the last', () => {
  const row = (id: string, text: string) => {
    const parsed = parse(text)
    if (parsed.kind !== 'parsed') throw new Error(text)
    return { id, condition: parsed.expression }
  }
  expect(print(chosenRow([row('r1', 'a'), row('r2', 'b')]))).toBe('(if a then "r1" else (if b then "r2" else null))')
})
