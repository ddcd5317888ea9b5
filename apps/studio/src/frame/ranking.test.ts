import { expect, test } from 'vitest'
import { best } from './ranking.ts'

const items = [
  { label: 'Is it too late?', text: () => 'hour\nhour > 22\nTOO_LATE' },
  { label: 'Refuse', text: () => 'Refuse\nTOO_LATE\n"come back tomorrow"' },
  { label: 'tomorrow' },
]

const found = (typed: string) => best(items, typed, 9).map(({ item, line }) => [item.label, line])

test('labels rank before the text of an item, which is found with its line', () => {
  expect(found('too')).toEqual([
    ['Is it too late?', undefined],
    ['Refuse', 'TOO_LATE'],
    ['tomorrow', undefined],
  ])
  expect(found('TOMORROW')).toEqual([
    ['tomorrow', undefined],
    ['Refuse', '"come back tomorrow"'],
  ])
})

test('letters in order find a label, where no text has them', () => {
  expect(found('rfs')).toEqual([['Refuse', undefined]])
  expect(found('hour > 22')).toEqual([['Is it too late?', 'hour > 22']])
  expect(found('nowhere')).toEqual([])
})

test('without a query all items are offered, as many as fit', () => {
  expect(best(items, ' ', 2).map(({ item }) => item.label)).toEqual(['Is it too late?', 'Refuse'])
})
