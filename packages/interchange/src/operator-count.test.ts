import type { DraftStep } from '@engine/authoring'
import { expect, test } from 'vitest'
import { toDmn } from './dmn/write/to-dmn.ts'
import { toJdm } from './jdm/write/to-jdm.ts'
import { end, table } from './steps.testing.ts'

const chain = (operators: number, operator: string) => Array.from({ length: operators + 1 }, () => 'n').join(operator)

test.each([
  ['toJdm', toJdm],
  ['toDmn', toDmn],
] as const)('%s writes expressions of up to 1000 operators, and refuses longer ones', (_, write) => {
  const lost = (steps: readonly DraftStep[]) =>
    write({ config: { name: 'd' }, startStepId: 'a', steps: [...steps] }).lost.filter(
      ({ severity }) => severity === 'error',
    )
  const result = (text: string) => lost([{ ...end, id: 'a', output: [{ name: 'x', value: text }] }])
  expect(result(chain(1000, '+'))).toEqual([])
  for (const text of [chain(1001, '+'), chain(4500, '-')])
    expect(result(text).map(({ message }) => message)).toEqual([expect.stringMatching(/: it is too long$/)])
  const cell = lost([table({ i: `? n == ${chain(4500, '+')}` }), end]).map(({ message }) => message)
  expect(cell).toContainEqual(expect.stringMatching(/: it is too long$/))
})
