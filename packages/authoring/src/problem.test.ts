import { describe, expect, test } from 'vitest'
import { messages, Report } from './problem.ts'

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

type Message = readonly [
  name: keyof typeof messages,
  given: readonly string[],
  code: string,
  message: string,
  suggestion?: string,
]

/** Every message with the texts `a`, `b` and `c` in the order of its parameters. */
const MESSAGES: readonly Message[] = [
  ['more', ['a'], 'more', 'a more not shown'],
  ['wrongType', ['a', 'b'], 'wrong-type', 'must be a, found b'],
  ['missing', ['a', 'b'], 'missing-field', 'the field `a` is missing: it must be b'],
  ['nestedTooDeeply', ['a'], 'nested-too-deeply', 'must be nested at most a levels deep'],
  ['badForm', ['a'], 'bad-expression-object', '`a` is not a type of an expression or condition object'],
  ['badOperator', ['a'], 'bad-operator', '`a` is not an operator'],
  ['duplicateId', ['a', 'b'], 'duplicate-id', 'another a has the id `b`'],
  ['noStart', [], 'no-start-step', 'the ruleset has no first step: `startStepId` is missing'],
  ['noTarget', [], 'missing-target', 'this is not connected: choose the next step'],
  ['unknownStep', ['a', 'b'], 'unknown-step', 'there is no step `a`; did you mean `b`?', 'b'],
  ['unknownSubRule', ['a', 'b'], 'unknown-sub-rule', 'there is no sub-rule `a`; did you mean `b`?', 'b'],
  ['ownSubRule', ['a'], 'sub-rule-cycle', 'the sub-rule `a` would use itself'],
  ['emptyExpression', [], 'empty-expression', 'the expression is missing'],
  ['emptyName', ['a'], 'empty-name', 'a is missing'],
  [
    'computedLog',
    [],
    'computed-log',
    'a log message must be a constant text in quotes: the engine does not compute it',
  ],
  ['badTarget', ['a'], 'bad-call-target', 'expected `service#method`'],
  ['badPath', ['a'], 'bad-path', '`a` is not a path such as `order.total`'],
  ['notLiteral', ['a', 'b'], 'cell-not-literal', '`a` is not a literal: start a whole condition with `?`', 'b'],
  ['badInterval', [], 'bad-interval', 'an interval is written like `[1..5]` or `(0..1]`, the lower bound first'],
  ['cellType', ['a', 'b'], 'cell-type', 'the column has values of the type a, found b'],
  ['unknownColumn', ['a'], 'unknown-column', 'there is no column `a`'],
  ['rowTarget', [], 'row-target', 'rows of a table that collects cannot have their own next step'],
  ['lonelyAggregate', [], 'unused-aggregate', 'an aggregate only has an effect with the hit policy `collect`'],
  ['unknownType', ['a'], 'unknown-type', '`a` is not a type of a field'],
  [
    'factType',
    ['a', 'b'],
    'fact-type',
    '`a` is only a type of contracts: facts can have `string`, `number`, `boolean`, `array<…>`, `object` and `concept:<name>`',
    'b',
  ],
  ['unknownConcept', ['a'], 'unknown-concept', 'there is no concept `a`'],
  ['repeatedName', ['a'], 'repeated-name', 'the name `a` is used twice'],
  ['badVersion', ['a'], 'bad-version', '`a` is not a semantic version such as `1.2.3`'],
  ['badDefault', ['a'], 'bad-default', 'the default a does not satisfy the field itself'],
  [
    'digitsOfOtherType',
    ['a'],
    'digits-of-other-type',
    'only a field of the type `decimal` has digits, not one of the type `a`',
  ],
  ['badDigits', ['a', 'b'], 'bad-digits', 'must be an integer from a to b'],
  ['badRange', [], 'bad-range', '`minimum` is greater than `maximum`'],
  ['undeclaredField', ['a', 'b'], 'undeclared-field', 'the contract declares no field `a`; did you mean `b`?', 'b'],
  ['neverValue', ['a', 'b', 'c'], 'never-value', '`a` is never `b`: the contract requires it to be c'],
  ['undeclaredCode', ['a', 'b'], 'undeclared-code', 'the contract has no output code `a`; did you mean `b`?', 'b'],
  [
    'defaultsWithoutEffect',
    ['a'],
    'unused-defaults',
    'the defaults of the contract have no effect while `fieldMissing` is `a`',
  ],
  [
    'uncheckedField',
    ['a'],
    'unchecked-field',
    'engines do not check the field `a` of the contract: its path has an index',
  ],
  ['unusedDefaults', ['a'], 'unused-defaults', '`defaults` have no effect while `fieldMissing` is `a`', 'default'],
  ['badEnumValue', ['a', 'b'], 'bad-enum', 'the value a is not of the type `b` of the field'],
  ['badExample', ['a', 'b'], 'bad-example', 'the example a is not of the type `b` of the fact'],
  [
    'missingOutput',
    ['a', 'b'],
    'missing-output',
    'the contract declares the output `b` for `a`, which is not set here',
  ],
  ['undeclaredOutput', ['a', 'b'], 'undeclared-output', 'the contract declares no output `b` for `a`'],
  ['outputType', ['a', 'b', 'c'], 'output-type', 'the output `a` has the type b, found c'],
  ['missingInput', ['a'], 'missing-input', 'the contract requires the field `a`'],
  ['inputType', ['a', 'b', 'c'], 'input-type', 'the field `a` has the type b, found c'],
  ['inputRange', ['a', 'b'], 'input-range', 'the field `a` must be b'],
  ['unknownMember', ['a', 'b'], 'unknown-member', '`a` has no meaning here; did you mean `b`?', 'b'],
  ['unreadable', ['a'], 'unreadable', 'a'],
  ['noProject', [], 'missing-file', 'the archive has no file `project.json`'],
  ['repeatedFile', [], 'repeated-file', 'the archive contains this file twice'],
  ['unknownFile', ['a'], 'unknown-file', 'files in this folder are named like `a`'],
  ['otherName', ['a', 'b'], 'other-name', 'the file is named `a`, its content `b`'],
  ['badName', ['a'], 'bad-name', 'a'],
  [
    'laterFormat',
    ['a', 'b'],
    'later-format',
    'the archive has format version a, but this program supports versions up to b',
  ],
  ['unknownRuleset', ['a', 'b'], 'unknown-ruleset', 'there is no ruleset `a`; did you mean `b`?', 'b'],
  ['unknownEnvironment', ['a', 'b'], 'unknown-environment', 'there is no environment `a`; did you mean `b`?', 'b'],
  ['notConvertible', ['a'], 'not-convertible', 'the editor does not support a'],
  ['badTarget', ['http'], 'bad-call-target', 'expected `METHOD URL` or a URL'],
  ['unknownStep', ['a'], 'unknown-step', 'there is no step `a`'],
]

test.each(MESSAGES.map((message) => [message[0], message] as const))(
  'the message %s',
  (name, [, given, code, message, suggestion]) => {
    const make = messages[name] as (...texts: readonly string[]) => object
    expect(make(...given)).toEqual({ code, message, ...(suggestion !== undefined && { suggestion }) })
  },
)

test('every message is in the table', () => {
  expect(Object.keys(messages).filter((name) => !MESSAGES.some(([known]) => known === name))).toEqual([])
})
