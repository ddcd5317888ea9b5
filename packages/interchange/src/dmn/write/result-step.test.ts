import type { DraftStep, TableStep } from '@engine/authoring'
import { expect, test } from 'vitest'
import { action, end, table } from '../../steps.testing.ts'
import { onlyAssignment, resultPolicy, singleResult } from './result-step.ts'

const tableOf = (rest: object) => table({}, rest) as TableStep

/** Policy, aggregation and default; undefined where the text reduces no list of `x`. */
test.each<readonly [text: string, policy: readonly (string | undefined)[] | undefined]>([
  ['if len($x) == 0 then null else sum($x)', ['COLLECT', 'SUM', undefined]],
  ['if len($x) == 0 then 0 else sum($x)', ['COLLECT', 'SUM', '0']],
  ['if len($x) == 0 then null else min($x)', ['COLLECT', 'MIN', undefined]],
  ['if len($x) == 0 then 5 + 1 else min($x)', ['COLLECT', 'MIN', '5 + 1']],
  ['if len($x) == 0 then null else max($x)', ['COLLECT', 'MAX', undefined]],
  ['if len($x) == 0 then 5 else max($x)', ['COLLECT', 'MAX', '5']],
  ['if len($x) == 0 then null else len($x)', ['COLLECT', 'COUNT', undefined]],
  ['if len($x) == 0 then 5 else len($x)', ['COLLECT', 'COUNT', '5']],
  ['if len($x) == 0 then [5] else $x', ['RULE ORDER', undefined, '[5]']],
  ['if len($x) == 0 then null else $x', ['RULE ORDER', undefined, 'null']],
  [
    'if len(distinct($x)) > 1 then to_number("rules of `a` that match have different outputs") else if len($x) == 0 then null else $x[0]',
    ['ANY', undefined, undefined],
  ],
  [
    'if len(distinct($x)) > 1 then to_number("rules of `a` that match have different outputs") else if len($x) == 0 then 5 else $x[0]',
    ['ANY', undefined, '5'],
  ],
  [
    'if len(distinct($x)) > 1 then to_number("rules of `b` that match have different outputs") else if len($x) == 0 then 5 else $x[0]',
    undefined,
  ],
  ['if len($y) == 0 then null else sum($x)', undefined],
  ['if len($x) == 0 then null else sum($y)', undefined],
  ['if len($x) == 0 then  else sum($x)', undefined],
  ['if len($x) == 0 then null else avg($x)', undefined],
  ['if len($x) == 1 then null else $x', undefined],
  ['sum($x)', undefined],
  ['$x', undefined],
])('the list of a table that is reduced by %s', (text, expected) => {
  const found = resultPolicy(tableOf({ hitPolicy: 'collect' }), 'x', text)
  expect(found && [found.policy.hitPolicy, found.policy.aggregation, found.byDefault]).toEqual(expected)
})

const X = { id: 'o', kind: 'output', field: 'x' }
const Y = { id: 'p', kind: 'output', field: '$y' }

/** An action that assigns one value and leads to `end`. */
const assigns = (id: string, name: string, value: string, rest: object = {}) => ({
  ...action(value),
  id,
  assignments: [{ name, value }],
  ...rest,
})

interface Result {
  readonly title: string
  readonly columns?: readonly object[]
  readonly rest?: object
  /** The steps after the table. */
  readonly steps: readonly object[]
  readonly result: ReturnType<typeof singleResult>
}

const NO_CONTEXT = { context: undefined, defaults: undefined }

/** Where a match leads to `c` and no match to `m`. */
const BOTH = { nextStepId: 'c', defaultNextStepId: 'm' }
const CONTEXT = assigns('c', 'd', '{"first": $x, "second": $y}')

test.each<Result>([
  { title: 'no steps', columns: [X], steps: [], result: { ...NO_CONTEXT, names: ['x'], next: 'end' } },
  { title: 'several outputs', steps: [], result: { ...NO_CONTEXT, names: ['x', 'y'], next: 'end' } },
  {
    title: 'no match that leads to the step of a match',
    rest: { defaultNextStepId: 'end' },
    steps: [],
    result: { ...NO_CONTEXT, names: ['x', 'y'], next: 'end' },
  },
  {
    title: 'no match that leads elsewhere',
    rest: { defaultNextStepId: 'm' },
    steps: [{ ...end, id: 'm' }],
    result: undefined,
  },
  {
    title: 'a step that is missing',
    rest: { defaultNextStepId: 'm' },
    steps: [],
    result: undefined,
  },
  {
    title: 'the default of one output',
    columns: [X],
    rest: { defaultNextStepId: 'm' },
    steps: [assigns('m', '$x', '5')],
    result: { context: undefined, names: ['x'], defaults: ['5'], next: 'end' },
  },
  {
    title: 'a default of another variable',
    columns: [X],
    rest: { defaultNextStepId: 'm' },
    steps: [assigns('m', 'z', '5')],
    result: undefined,
  },
  {
    title: 'a default of one of two outputs',
    rest: { defaultNextStepId: 'm' },
    steps: [assigns('m', 'x', '5')],
    result: undefined,
  },
  {
    title: 'a default that leads elsewhere',
    columns: [X],
    rest: { defaultNextStepId: 'm' },
    steps: [assigns('m', 'x', '5', { nextStepId: 'other' })],
    result: undefined,
  },
  {
    title: 'a context of the outputs that only a match sets',
    rest: { nextStepId: 'c', defaultNextStepId: 'end' },
    steps: [CONTEXT],
    result: { context: 'd', names: ['first', 'second'], defaults: undefined, next: 'end' },
  },
  {
    title: 'a context of the outputs, which are null when no row matches',
    rest: { nextStepId: 'c' },
    steps: [CONTEXT],
    result: { context: 'd', names: ['first', 'second'], defaults: ['null', 'null'], next: 'end' },
  },
  {
    title: 'a context with defaults',
    rest: BOTH,
    steps: [CONTEXT, assigns('m', 'd', '{"first": 1, "second": n + 1}')],
    result: { context: 'd', names: ['first', 'second'], defaults: ['1', 'n + 1'], next: 'end' },
  },
  {
    title: 'a context with defaults in another order',
    rest: BOTH,
    steps: [CONTEXT, assigns('m', '$d', '{"second": 2, "first": 1}')],
    result: { context: 'd', names: ['first', 'second'], defaults: ['1', '2'], next: 'end' },
  },
  {
    title: 'a context with the default of another variable',
    rest: BOTH,
    steps: [CONTEXT, assigns('m', 'e', '{"first": 1, "second": 2}')],
    result: undefined,
  },
  {
    title: 'a context with a default less',
    rest: BOTH,
    steps: [CONTEXT, assigns('m', 'd', '{"first": 1}')],
    result: undefined,
  },
  {
    title: 'a context with a default more',
    rest: BOTH,
    steps: [CONTEXT, assigns('m', 'd', '{"first": 1, "second": 2, "third": 3}')],
    result: undefined,
  },
  {
    title: 'a context with a default of another name',
    rest: BOTH,
    steps: [CONTEXT, assigns('m', 'd', '{"first": 1, "third": 2}')],
    result: undefined,
  },
  {
    title: 'a context with a default that is no object',
    rest: BOTH,
    steps: [CONTEXT, assigns('m', 'd', 'n')],
    result: undefined,
  },
  {
    title: 'a context with a default that is no expression',
    rest: BOTH,
    steps: [CONTEXT, assigns('m', 'd', '{"first": 1,')],
    result: undefined,
  },
  ...[
    ['with one of the outputs', '{"first": $x}'],
    ['with another value', '{"first": $x, "second": 2}'],
    ['with a member', '{"first": $x, "second": $y.p}'],
    ['with fields of the input', '{"first": x, "second": y}'],
    ['in another order', '{"second": $y, "first": $x}'],
    ['with a name that FEEL does not have', '{"first": $x, "a+b": $y}'],
    ['with more entries', '{"first": $x, "second": $y, "third": 3}'],
    ['that is an array', '[$x, $y]'],
    ['that is no expression', '{"first": $x,'],
  ].map(([title, value = '']): Result => ({
    title: `a following assignment ${title}`,
    rest: { nextStepId: 'c' },
    steps: [assigns('c', 'd', value)],
    result: { ...NO_CONTEXT, names: ['x', 'y'], next: 'c' },
  })),
  {
    title: 'an object of the only output',
    columns: [X],
    rest: { nextStepId: 'c' },
    steps: [assigns('c', 'd', '{"first": $x}')],
    result: { ...NO_CONTEXT, names: ['x'], next: 'c' },
  },
])('the result of a table with $title', ({ columns = [X, Y], rest = {}, steps, result }) => {
  const step = tableOf({ columns, ...rest })
  const stepOf = (id: string | undefined) => (steps as readonly DraftStep[]).find((one) => one.id === id)
  expect(singleResult(step, step.columns, stepOf, (one, other) => one === other)).toEqual(result)
})

test.each<readonly [title: string, step: object, isOnly: boolean]>([
  ['one assignment', action('1'), true],
  ['no step', {}, false],
  ['a terminal', end, false],
  ['a table', table({}), false],
  ['no assignment', { ...action('1'), assignments: [] }, false],
  [
    'two assignments',
    {
      ...action('1'),
      assignments: [
        { name: 'x', value: '1' },
        { name: 'y', value: '1' },
      ],
    },
    false,
  ],
  ['an empty list of calls', action('1', { externalCalls: [] }), true],
  ['a call', action('1', { externalCalls: [{ type: 'http' }] }), false],
  ['a message', action('1', { logging: { level: 'info', message: 'a' } }), false],
])('whether %s is a step with nothing but one assignment', (_title, step, isOnly) => {
  const expected = isOnly ? { assignment: { name: 'x', value: '1' }, next: 'end' } : undefined
  expect(onlyAssignment(step as DraftStep)).toEqual(expected)
})
