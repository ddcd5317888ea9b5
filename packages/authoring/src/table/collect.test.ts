import { type Value } from '@engine/expression'
import { createProgram, decodeRuleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { testHost } from '../../../ruleset/src/host.testing.ts'
import { convertDraft } from '../convert/convert.ts'
import { decodeDraft } from '../draft/decode.ts'

/** A table with a row for each number, which matches an `age` from that number on. Returns its decision by the age. */
function collecting(numbers: readonly number[], aggregate: string | undefined): (age: number) => Value {
  const table = {
    id: 't',
    type: 'table',
    hitPolicy: 'collect',
    ...(aggregate !== undefined && { aggregate }),
    columns: [
      { id: 'c', kind: 'input', field: 'age' },
      { id: 'o', kind: 'output', field: 'found' },
      { id: 'p', kind: 'output', field: 'twice' },
    ],
    rows: numbers.map((number, index) => ({
      id: `r${index}`,
      cells: { c: `>= ${number}`, o: `${number}`, p: `${number} * 2` },
    })),
    nextStepId: 'end',
  }
  const output = ['found', 'twice'].map((name) => ({ name, value: `$${name}` }))
  const end = { id: 'end', type: 'terminal', code: 'END', output }
  const { draft, problems } = decodeDraft({ config: { name: 'x' }, startStepId: 't', steps: [table, end] })
  if (draft === undefined) throw new Error(JSON.stringify(problems))
  const { ruleset, problems: faults } = { ruleset: undefined, ...convertDraft(draft) }
  const decoded = decodeRuleset(ruleset ?? null)
  if (decoded.ruleset === undefined) throw new Error(JSON.stringify([faults, decoded.problems]))
  const program = createProgram(decoded.ruleset, testHost())
  return (age) => {
    const decision = program.decide({ age })
    if (decision instanceof Promise) throw new Error('a table that calls nothing waits')
    return decision.output
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

describe.each([0, 1, 499, 500, 501, 1000, 1001, 1203])('a table that collects from %d rows', (rows) => {
  const numbers = Array.from({ length: rows }, (_, index) => index + 1)
  const [all, count, total, least, most] = [undefined, 'count', 'sum', 'min', 'max'].map((aggregate) =>
    collecting(numbers, aggregate),
  )

  test.each([
    ['all of them', rows],
    ['the first', 1],
    ['those of the first group', Math.min(rows, 500)],
    ['one beyond the first group', 501],
    ['none', 0],
  ])('has what matches: %s', (_, age) => {
    const those = numbers.filter((number) => number <= age)
    const doubled = those.map((number) => number * 2)
    expect(all?.(age)).toEqual({ found: those, twice: doubled })
    expect(count?.(age)).toEqual({ found: those.length, twice: those.length })
    expect(total?.(age)).toEqual({ found: sum(those), twice: sum(doubled) })
    const smallest = those[0] ?? null
    const largest = those.at(-1) ?? null
    expect(least?.(age)).toEqual({ found: smallest, twice: smallest === null ? null : 2 * smallest })
    expect(most?.(age)).toEqual({ found: largest, twice: largest === null ? null : 2 * largest })
  })
})
