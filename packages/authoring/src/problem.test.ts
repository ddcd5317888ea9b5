import { describe, expect, test } from 'vitest'
import { Report } from './problem.ts'

const TEXT = { code: 'x', message: 'm' }
const error = (number: number) => ({ path: `/e${number}`, ...TEXT, severity: 'error' }) as const
const warning = (number: number) => ({ path: `/w${number}`, ...TEXT, severity: 'warning' }) as const

function report(...problems: readonly Parameters<Report['add']>[0][]): Report {
  const made = new Report()
  for (const problem of problems) made.add(problem)
  return made
}

const many = (count: number, make: typeof error | typeof warning) => Array.from({ length: count }, (_, at) => make(at))

describe('a report', () => {
  test('lists its problems in their order, with the step that they belong to', () => {
    const made = report(warning(1), error(2))
    made.stepId = 's'
    made.add(warning(3))
    expect(made.problems).toEqual([warning(1), error(2), { step_id: 's', ...warning(3) }])
  })

  test.each([
    ['nothing', [], false],
    ['a warning', [warning(1)], false],
    ['an error', [error(1), warning(2)], true],
  ])('of %s has errors or not', (_, problems, hasErrors) => {
    expect(report(...problems).hasErrors).toBe(hasErrors)
  })

  test('of a thousand problems has all of them', () => {
    expect(report(...many(1000, error)).problems).toEqual(many(1000, error))
  })

  test.each([
    ['errors counts the others as errors', many(1002, error), many(1000, error), 'error'],
    ['warnings counts the others as warnings', many(1002, warning), many(1000, warning), 'warning'],
    [
      'both gives up its last warnings for errors',
      [...many(999, warning), ...many(3, error)],
      [...many(997, warning), ...many(3, error)],
      'warning',
    ],
    ['both gives up no error', [...many(1000, error), ...many(2, warning)], many(1000, error), 'error'],
    [
      'a single warning gives it up, and then counts errors',
      [warning(1), ...many(1001, error)],
      many(1000, error),
      'error',
    ],
  ] as const)('of more %s', (_, problems, listed, severity) => {
    const found = report(...problems).problems
    expect(found.slice(0, -1)).toEqual(listed)
    const hidden = problems.length - listed.length
    expect(found.at(-1)).toMatchObject({ path: '', severity, message: expect.stringContaining(`${hidden}`) })
  })

  test('of errors beyond the limit still has errors', () => {
    expect(report(...many(1000, warning), error(1)).hasErrors).toBe(true)
  })
})
