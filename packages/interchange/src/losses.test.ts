import { at } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { Losses } from './losses.ts'

const text = { code: 'c', message: 'm' }

test('losses have their severity and their place', () => {
  const losses = new Losses()
  losses.error(at(at(undefined, 'a'), 1), text)
  losses.warn('/b', text)
  losses.inform({ path: '/c', line: 2, column: 3 }, text)
  losses.error(undefined, { ...text, suggestion: 's' })
  expect(losses.lost).toEqual([
    { path: '/a/1', ...text, severity: 'error' },
    { path: '/b', ...text, severity: 'warning' },
    { path: '/c', line: 2, column: 3, ...text, severity: 'info' },
    { path: '', ...text, suggestion: 's', severity: 'error' },
  ])
})

test.each([
  [1000, [], undefined],
  [1000, ['warning'], { message: '1 more not shown', severity: 'warning' }],
  [1000, ['error', 'warning'], { message: '2 more not shown', severity: 'error' }],
  [1000, ['info', 'info', 'error'], { message: '3 more not shown', severity: 'error' }],
] as const)('of %d losses and %j the first 1000 are listed', (count, more, last) => {
  const losses = new Losses()
  for (let index = 0; index < count; index++) losses.warn(`/${index}`, text)
  for (const severity of more) losses.add({ path: '/more', ...text, severity })
  const { lost } = losses
  expect(lost.slice(0, 1000).map(({ path }) => path)).toEqual(Array.from({ length: 1000 }, (_, index) => `/${index}`))
  expect(lost.slice(1000)).toEqual(last === undefined ? [] : [{ path: '', code: 'more', ...last }])
})

test('a loss is listed once, and again at another place, with another code or another message', () => {
  const losses = new Losses()
  for (const where of [
    '/a',
    '/b',
    '/a',
    { path: '/a', line: 1, column: 2 },
    { path: '/a', line: 1, column: 3 },
    { path: '/a', line: 11, column: 2 },
    { path: '/a', line: 1, column: 12 },
  ])
    losses.error(where, text)
  for (const other of [text, { ...text, code: 'd' }, { ...text, message: 'n' }]) losses.error('/a', other)
  expect(losses.lost.map(({ path, line, column, code, message }) => [path, line, column, code, message])).toEqual([
    ['/a', undefined, undefined, 'c', 'm'],
    ['/b', undefined, undefined, 'c', 'm'],
    ['/a', 1, 2, 'c', 'm'],
    ['/a', 1, 3, 'c', 'm'],
    ['/a', 11, 2, 'c', 'm'],
    ['/a', 1, 12, 'c', 'm'],
    ['/a', undefined, undefined, 'd', 'm'],
    ['/a', undefined, undefined, 'c', 'n'],
  ])
})
