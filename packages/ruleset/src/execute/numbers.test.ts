import { parseJson, stringifyJson, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { createProgram } from '../create-program.ts'
import { decodeRuleset } from '../decode.ts'
import { testHost } from '../host.testing.ts'
import type { Program } from '../program.ts'

/** Rulesets that call each other compute by their own settings. */

const end = (output: string) => ({
  id: 'end',
  type: 'terminal',
  result: { code: 'A', message: '', output: [['value', output]] },
})

function programOf(document: Value, callee?: Program): Program {
  const { ruleset, problems } = decodeRuleset(document)
  if (ruleset === undefined) throw new Error(JSON.stringify(problems))
  return createProgram(ruleset, testHost({ rulesets: { resolve: () => callee, generation: 1 } }))
}

const calleeOf = (numbers: string) =>
  programOf({ config: { name: 'callee', entry_step: 'end', numbers }, steps: { end: end('a / 3') } })

const callerOf = (numbers: string, callee: Program) =>
  programOf(
    {
      config: { name: 'caller', numbers },
      steps: {
        start: {
          id: 'start',
          type: 'action',
          actions: [
            {
              action: 'call_ruleset',
              ruleset_name: 'callee',
              input_mapping: '{"a": b / 3}',
              result_variable: 'r',
            },
          ],
          next_step: 'end',
        },
        end: end('$r.output.value + 0'),
      },
    },
    callee,
  )

test.each([
  ['decimal', 'decimal', '0.1111111111111111111111111111111111'],
  ['decimal', 'double', '0.1111111111111111'],
  ['double', 'decimal', '0.1111111111111111'],
  ['double', 'double', '0.1111111111111111'],
])('a ruleset with numbers %s that calls one with %s', (caller, callee, expected) => {
  const decided = callerOf(caller, calleeOf(callee)).decide({ b: 1 })
  if (decided instanceof Promise) throw new Error('nothing waits')
  expect(stringifyJson(decided.output['value'] as Value)).toBe(expected)
})

test('an output that is a quotient of decimals is warned of', () => {
  const document = (output: string): Value => ({
    config: { name: 'a', entry_step: 'end', numbers: 'decimal' },
    steps: { end: end(output) },
  })
  const codesOf = (output: string) => decodeRuleset(document(output)).warnings.map(({ code }) => code)
  expect(codesOf('a / 3')).toEqual(['unrounded-quotient'])
  expect(codesOf('round(a / 3, 2)')).toEqual([])
})

test.each([
  ['a', 'strict'],
  ['a.b', 'lenient'],
  ['toJSON', 'lenient'],
  ['toJSON', 'strict'],
  ['toString', 'lenient'],
  ['valueOf.name', 'lenient'],
  ['constructor', 'default'],
  ['exists(toJSON)', 'lenient'],
])('an input that is a decimal has no members: %s, %s', (output, field_missing) => {
  const program = programOf({
    config: { name: 'a', entry_step: 'end', numbers: 'decimal', field_missing },
    steps: { end: end(output) },
  })
  const parsed = parseJson('0.12345678901234567890', { duplicateKeys: 'refuse', numbers: 'decimal' })
  if (parsed.kind !== 'parsed') throw new Error('not read')
  const outcomeOf = (decide: () => unknown) => {
    try {
      return decide()
    } catch (error) {
      return String(error)
    }
  }
  // The first decision of a program is prepared; the next ones run the generated code alone.
  const expected = outcomeOf(() => program.decide({}))
  for (let times = 0; times < 3; times++) {
    expect(outcomeOf(() => program.decide(parsed.value))).toEqual(expected)
    expect(outcomeOf(() => program.decide({}))).toEqual(expected)
  }
})
