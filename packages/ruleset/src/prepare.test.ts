import { makeFunction, type MakeFunction } from '@engine/expression'
import { expect, test } from 'vitest'
import { createProgram } from './create-program.ts'
import { decodeRuleset } from './decode.ts'
import { testHost } from './host.testing.ts'
import type { Ruleset } from './model.ts'

const { ruleset } = decodeRuleset({
  config: { name: 'a', entry_step: 'first' },
  steps: {
    first: {
      id: 'first',
      type: 'decision',
      branches: [{ condition: 'age >= 18 && country == "DE"', next_step: 'end' }],
      default_next: 'end',
    },
    end: { id: 'end', type: 'terminal', result: { code: 'A', message: '' } },
  },
})

test.each([
  ['plain', false],
  ['traced', true],
])('a prepared program needs no further code generation: %s', (_what, trace) => {
  let made = 0
  const counting: MakeFunction = (parameters, body) => {
    made++
    return makeFunction(parameters, body)
  }
  const program = createProgram(ruleset as Ruleset, testHost({ makeFunction: counting }))
  expect(made).toBe(0)
  program.prepare(trace)
  const before = made
  expect(before).toBeGreaterThan(0)
  expect(program.execute({ age: 20, country: 'DE' }, { trace })).toMatchObject({ code: 'A' })
  program.prepare(trace)
  expect(made).toBe(before)
})
