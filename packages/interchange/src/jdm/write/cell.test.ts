import { expect, test } from 'vitest'
import { cellTest } from './cell.ts'
import { scopeWith } from './scope.testing.ts'
import type { Deviation } from './zen-scope.ts'
import { NoZen } from './zen-text.ts'

test.each<readonly [cell: string, test: string, ...noted: readonly string[]]>([
  ['1', '1'],
  ['-1', '-1'],
  ['"a"', "'a'"],
  ['true', 'true'],
  ['null', 'null'],
  ['== 1', '1'],
  ['!= 1', '!= 1'],
  ['!= "a"', "!= 'a'"],
  ['!= null', '!= null'],
  ['< 2', '< 2'],
  ['<= 2', '<= 2'],
  ['> 2', '> 2'],
  ['>= -2', '>= -2'],
  ['in [1, 2]', 'in [1, 2]'],
  ['in ["a", null]', "in ['a', null]"],
  ['not in [1, 2]', '!= 1 and != 2'],
  ['not in ["a"]', "!= 'a'"],
  ['[1..3]', '[1..3]'],
  ['(1..3)', '(1..3)'],
  ['[1..3)', '[1..3)'],
  ['(1..3]', '(1..3]'],
  ['? x > 1', 'x > 1'],
  ['? x > 1 && y < 2', 'x > 1 and y < 2'],
  ['? x > 1 || y < 2', 'x != null and x > 1 or y < 2'],
  ['? true', ''],
  ['? x', "x != null and x != false and x != 0 and x != ''", 'truth'],
  ['? x + 1 > 2', 'x + 1 > 2', 'decimals'],
  ['? starts_with(x, "a")', "startsWith(x, 'a')"],
  ['? x || y > 1', "x != null and x != false and x != 0 and x != '' or y > 1", 'truth'],
  ['? x in [1, 2]', 'x in [1, 2]'],
  ['', ''],
])('the cell %j is the test %j in ZEN', (cell, text, ...noted) => {
  const deviations = new Set<Deviation>()
  expect(cellTest(cell, scopeWith(deviations))).toBe(text)
  expect([...deviations]).toEqual(noted)
})

test.each([
  ['> "a"', 'only numbers have an order in ZEN'],
  ['in []', 'it is not a list of values'],
  ['in [[1]]', 'lists and objects are never equal in ZEN'],
  ['in 5', 'it is not a list of values'],
  ['not in []', 'it is not a list of values'],
  ['not in [{}]', 'lists and objects are never equal in ZEN'],
  ['["a".."b"]', 'only numbers have an order in ZEN'],
  ['[1]', 'lists and objects are never equal in ZEN'],
  ['{}', 'lists and objects are never equal in ZEN'],
  ['? x == 1 && (y == 2 || z == 3)', 'a cell cannot contain such a condition'],
  ['? x > 1 ? true : false', 'a cell cannot contain such a condition'],
  ['? !(x == 1)', 'a cell cannot contain such a condition'],
  ['? (x + 1) * 2 > 2', 'a cell cannot contain such a condition'],
  ['? x > 1 || y < 2 && z == 3', 'a cell cannot contain such a condition'],
  ['? x > 1 && y < 2 || z == 3', 'a cell cannot contain such a condition'],
  ['== x', 'it is not a literal'],
  ['> 1e30', 'one of its numbers has too many digits'],
])('the cell %s has no test in ZEN: %s', (cell, reason) => {
  expect(() => cellTest(cell, scopeWith())).toThrow(new NoZen(reason))
})
