import { expect, test } from 'vitest'
import { nextVersion, readValues, shownValues } from './contract-values.ts'

test.each([
  ['1.2.3', 'major', '2.0.0'],
  ['0.2.3', 'major', '0.3.0'],
  ['1.2.3', 'minor', '1.3.0'],
  ['1.2.3', 'patch', '1.2.4'],
  ['1.2.3', 'none', undefined],
  ['new', 'minor', undefined],
] as const)('after %s a %s change has the version %s', (before, bump, next) =>
  expect(nextVersion(before, bump)).toBe(next),
)

test.each([
  ['gold, silver,', 'string', ['gold', 'silver']],
  ['1, 2.5, x', 'number', [1, 2.5]],
  ['true, no', 'boolean', [true]],
  ['', 'string', []],
])('%s of the type %s', (text, type, values) => expect(readValues(text, type)).toEqual(values))

test('are written as they are read', () => expect(shownValues(readValues('a, b', 'string'))).toBe('a, b'))
