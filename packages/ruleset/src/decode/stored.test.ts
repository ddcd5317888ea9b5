import type { ObjectValue, Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../create-program.ts'
import { decodeRuleset } from '../decode.ts'
import { testHost } from '../host.testing.ts'
import type { Decision } from '../program.ts'
import { withActions, withBranch, withResult } from './document.testing.ts'

const NOON = '"2026-11-22T07:08:09Z"'

/** Expressions that the first version stored and a new ruleset must not have, and their values there. */
const STORED: readonly (readonly [expression: string, problem: string, value: Value | RegExp])[] = [
  [`format_date(${NOON}, "MMMM D, YYYY")`, 'bad-argument', '1111 D, 2026'],
  [`format_date(${NOON}, "yyyy-MM-dd")`, 'bad-argument', 'yyyy-11-dd'],
  ['cidr_contains("010.0.0.0/8", "10.1.2.3")', 'bad-argument', true],
  ['cidr_contains("010.0.0.0/8", "8.1.2.3")', 'bad-argument', false],
  ['cidr_contains("10.0.0.0/8", "010.001.2.3")', 'bad-argument', true],
  ['cidr_contains("10.0.0.0/8", "10.1.0.0/16")', 'bad-argument', true],
  ['cidr_contains("10.0.0.0/08", "10.1.0.1")', 'bad-argument', true],
  ['cidr_contains("fe80::%eth0/10", "fe80::1%eth1")', 'bad-argument bad-argument', true],
  ['cidr_intersects("010.0.0.0/8", "10.9.0.0/16")', 'bad-argument', true],
  ['cidr_contains("10.0.0.0/8", "::ffff:010.0.0.1")', 'bad-argument', true],
  ['max(1, "a")', 'wrong-type', /^.*`max` needs only numbers, found string at index 1/],
  ['false ? max(1, "a") : 5', 'wrong-type', 5],
  ['any([1, 2], x => starts_with(x, "a"))', 'wrong-type', /^.*`starts_with` needs a string, found number/],
  ['map(["a"], x => true ? "b" : x * 2)', 'wrong-type', ['b']],
  ['first([1, 2]) - first(["a"])', 'wrong-type', /^.*`-` is not defined for number and string/],
]

type Decided = Decision & { readonly output: { readonly x: Value } }

/** The output of a stored document, or the message of its failure; the same interpreted and compiled. */
function decided(document: Value, input: ObjectValue = {}): unknown {
  const { ruleset, problems } = decodeRuleset(document, { isStored: true })
  if (ruleset === undefined) throw new Error(JSON.stringify(problems))
  const [compiled, interpreted] = [testHost(), testHost({ makeFunction: undefined })].map((host) => {
    try {
      return (createProgram(ruleset, host).decide(input) as Decided).output.x
    } catch (error) {
      return (error as Error).message
    }
  })
  expect(compiled).toEqual(interpreted)
  return compiled
}

const output = (expression: Value) => withResult({ code: 'A', message: '', output: [['x', expression]] })

describe.each(STORED)('%s', (expression, problem, value) => {
  test('is refused in a new ruleset', () => {
    const { ruleset, problems, tolerated } = decodeRuleset(output(expression))
    expect(ruleset).toBeUndefined()
    expect(problems.map(({ code }) => code).join(' ')).toBe(problem)
    expect(tolerated).toEqual([])
  })

  test('is a warning in a stored one, which decides as before', () => {
    const document = output(expression)
    const { problems, warnings, tolerated } = decodeRuleset(document, { isStored: true })
    expect([problems, warnings]).toEqual([[], []])
    expect(tolerated).toEqual(decodeRuleset(document).problems)
    const found = decided(document)
    if (value instanceof RegExp) expect(found).toMatch(value)
    else expect(found).toEqual(value)
  })
})

describe('a stored document', () => {
  const text = `format_date(${NOON}, "MMMM")`

  test.each<[place: string, document: Value, path: string]>([
    ['a condition', withBranch({ condition: `${text} == "1111"` }), '/steps/first/branches/0/condition'],
    ['an action', withActions({ action: 'set_variable', name: 'x', value: text }), '/steps/first/actions/0/value'],
    [
      'a message',
      withResult({ code: 'A', message: `on {${text}}` }, { message_templates: true }),
      '/steps/end/result/message',
    ],
    [
      'the JSON form',
      output({ Call: { name: 'format_date', args: [{ Literal: '2026-11-22' }, { Literal: 'MMMM' }] } }),
      '/steps/end/result/output/0/1',
    ],
  ])('gets a warning with the place in %s', (_what, document, path) => {
    expect(decodeRuleset(document, { isStored: true })).toMatchObject({ problems: [], tolerated: [{ path }] })
  })

  test('keeps the meaning in a sub-rule, which is copied to where it is used', () => {
    const document = {
      config: { name: 'r', entry_step: 'use' },
      steps: {
        use: { id: 'use', type: 'sub_rule', ref_name: 's', bindings: [], outputs: [['x', 'y']], next_step: 'end' },
        end: { id: 'end', type: 'terminal', result: { code: 'A', message: '', output: [['x', '$x']] } },
      },
      sub_rules: {
        s: {
          entry_step: 'set',
          steps: {
            set: {
              id: 'set',
              type: 'action',
              actions: [{ action: 'set_variable', name: 'y', value: text }],
              next_step: 'done',
            },
            done: { id: 'done', type: 'terminal', result: { code: 'D', message: '' } },
          },
        },
      },
    }
    expect(decided(document)).toBe('1111')
  })

  test('gives calls without such a constant their present meaning', () => {
    const document = output('cidr_contains("010.0.0.0/8", "10.0.0.1") && cidr_contains("10.0.0.0/8", ip)')
    expect(decided(document, { ip: '10.0.0.1' })).toBe(true)
    expect(decided(document, { ip: '010.0.0.1' })).toMatch(/`010.0.0.1` is not an address/)
  })

  test.each(['starts_wiht(a, "b")', 'upper(1)', 'cidr_contains("10.1", "10.0.0.1")', 'date("no date")', '1 +'])(
    'is refused for content that no version has stored: %s',
    (expression) => {
      const document = output(expression)
      const { ruleset, problems, tolerated } = decodeRuleset(document, { isStored: true })
      expect([ruleset, tolerated]).toEqual([undefined, []])
      expect(problems).toEqual(decodeRuleset(document).problems)
    },
  )
})
