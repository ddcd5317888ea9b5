import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { jsonValue, makeFunction, type Value } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { yamlForm } from '../../../rule-file/src/yaml-form.ts'
import { type Case, decodeCases } from '../cases/case.ts'
import { runCase } from '../cases/run.ts'
import { convertDraft } from '../convert/convert.ts'
import { testsOf } from './expression.ts'
import { draftOf } from './from-engine.ts'

type Document = { readonly [key: string]: Value }

const DONE: Value = { id: 'done', type: 'terminal', result: { code: 'DONE', message: '' } }

/** A ruleset of one step and a terminal. */
function oneStep(step: Document, config: Document = {}): Document {
  return {
    config: { name: 'test', entry_step: 's', ...config },
    steps: { s: { id: 's', name: 'Step', next_step: 'done', ...step }, done: DONE },
  }
}

const steps = (document: Value) => draftOf(document).draft?.steps.filter(({ id }) => id !== 'done')

test('a decision of many comparisons is a table', () => {
  const branches = [1, 2, 3, 4].map((level) => ({
    condition: `level == ${level} && age >= 18 && age < 65`,
    next_step: 'done',
    actions: [{ action: 'set_variable', name: '$rate', value: `${level} / 10` }],
  }))
  const s = { id: 's', name: 'Step', type: 'decision', branches, default_next: 'done' }
  expect(steps({ ...oneStep({}), steps: { s, done: DONE } })).toEqual([
    {
      id: 's',
      name: 'Step',
      type: 'table',
      hitPolicy: 'first',
      columns: [
        { id: 'c1', kind: 'input', field: 'level' },
        { id: 'c2', kind: 'input', field: 'age' },
        { id: 'o1', kind: 'output', field: 'rate' },
      ],
      rows: [1, 2, 3, 4].map((level) => ({
        id: `r${level}`,
        cells: { c1: `${level}`, c2: '[18..65)', o1: `${level} / 10` },
        nextStepId: 'done',
      })),
      defaultNextStepId: 'done',
    },
  ])
})

test.each([
  ['metric', { action: 'metric', name: 'n', value: '1' }],
  ['call_ruleset', { action: 'call_ruleset', ruleset_name: 'other', result_variable: 'r' }],
])('a `%s` action has no form in the editor, and is named with its place', (word, action) => {
  const { draft, problems } = draftOf(oneStep({ type: 'action', actions: [action] }))
  expect(draft).toBeUndefined()
  expect(problems).toEqual([
    {
      path: '/steps/s/actions/0',
      code: 'not-convertible',
      message: `the editor does not support \`${word}\` actions`,
      severity: 'error',
      step_id: 's',
    },
  ])
})

test('actions in an order that the editor lacks begin a new step', () => {
  const set = { action: 'set_variable', name: 'x', value: '1' }
  const log = { action: 'log', message: 'a "b"' }
  expect(steps(oneStep({ type: 'action', actions: [set, log, set] }))).toEqual([
    {
      id: 's',
      name: 'Step',
      type: 'action',
      assignments: [{ name: 'x', value: '1' }],
      logging: { message: '"a \\"b\\""', level: 'info' },
      nextStepId: 's~2',
    },
    { id: 's~2', type: 'action', assignments: [{ name: 'x', value: '1' }], nextStepId: 'done' },
  ])
})

test('an invalid ruleset is refused with its faults', () => {
  const { draft, problems } = draftOf({ config: { name: 'a b' }, steps: {} })
  expect(draft).toBeUndefined()
  expect(problems.map(({ path, code }) => `${path} ${code}`)).toContain('/config/name bad-name')
})

describe('the examples', () => {
  const root = join(import.meta.dirname, '../../../../examples')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(^|\/)ruleset\.(json|yaml)$/.test(path),
  )

  test('are found', () => expect(files.length).toBeGreaterThan(9))

  test.each(files)(
    "%s passes its cases after conversion to the editor's format and back, or names the obstacles",
    async (path) => {
      const document = documentOf(readFileSync(join(root, path), 'utf8'), path)
      const found = draftOf(document)
      if (found.draft === undefined) {
        expect(new Set(found.problems.map(({ code }) => code))).toEqual(new Set(['not-convertible']))
        return
      }
      const back = convertDraft(found.draft)
      expect(back.problems.filter(({ severity }) => severity === 'error')).toEqual([])
      const list = jsonValue(readFileSync(join(root, dirname(path), 'ruleset.cases.json'), 'utf8'))
      const { cases } = decodeCases(list)
      expect(cases.length).toBeGreaterThan(0)
      for (const one of cases) {
        const [expected, result] = await Promise.all([document, back.ruleset ?? null].map((given) => ran(given, one)))
        expect({ ...result, failures: result?.failures.filter(({ kind }) => kind !== 'path') }).toEqual({
          ...expected,
          failures: [],
        })
      }
    },
  )
})

const HOST = { now: () => 0, monotonic: () => 0, makeFunction }

function documentOf(text: string, path: string): Value {
  if (path.endsWith('.json')) return jsonValue(text)
  const converted = yamlForm.toJson(text)
  if ('reason' in converted) throw new Error(converted.reason)
  return jsonValue(converted.json)
}

async function ran(document: Value, one: Case) {
  const { ruleset } = decodeRuleset(document)
  if (ruleset === undefined) throw new Error('it is no ruleset')
  const { failures, inspection } = await runCase(ruleset, one, HOST)
  return { failures, result: inspection.result }
}

const branch = (condition: Value, more: Document = {}): Value => ({ condition, next_step: 'done', ...more })
const decisionOf = (...branches: readonly Value[]) => {
  const s = { id: 's', name: 'Step', type: 'decision', branches: [...branches], default_next: 'done' }
  return steps({ ...oneStep({}), steps: { s, done: DONE } })?.[0]
}

test('a branch without a condition is always taken', () => {
  expect(decisionOf(branch(null))).toMatchObject({ branches: [{ id: 'b1', condition: 'true', nextStepId: 'done' }] })
})

test.each<[name: string, condition: string, cells: readonly string[] | undefined]>([
  ['an open interval', 'a > 1 && a < 5', ['(1..5)']],
  ['a closed interval', 'a >= 1 && a <= 5', ['[1..5]']],
  ['an interval of one value', 'a >= 5 && a <= 5', ['[5..5]']],
  ['bounds that contradict each other', 'a >= 5 && a <= 1', undefined],
  ['the upper bound first', 'a <= 5 && a >= 1', undefined],
  ['two lower bounds', 'a > 1 && a > 2', undefined],
  ['bounds of two paths', 'a > 1 && b < 5', ['> 1', '< 5']],
  ['a list', 'a in ["x", "y"]', ['in ["x", "y"]']],
  ['a list that is a field', 'a in b', undefined],
  ['a negative number', 'a == -1', ['-1']],
  ['a computed value', 'a == 1 + 1', undefined],
  ['a negated list', 'a not in [1]', ['not in [1]']],
  ['a difference', 'a != "x"', ['!= "x"']],
  ['a part of a text', 'a contains "x"', undefined],
  ['a path with a wildcard', 'a[*].b == 1', undefined],
  ['an alternative', 'a == 1 || a == 2', undefined],
])('%s: the condition %s has the cells %j', (_name, condition, cells) => {
  expect(testsOf(condition)?.map(({ cell }) => cell)).toEqual(cells)
})

const assignment = (name: string): Value => ({ action: 'set_variable', name, value: '1' })
const logged = (message: string): Value => ({ action: 'log', message, level: 'info' })
const called: Value = {
  action: 'external_call',
  service: 's',
  method: 'm',
  params: [],
  result_variable: 'r',
  timeout_ms: 5,
}

test.each<[name: string, actions: readonly Value[], forms: readonly string[]]>([
  ['assignments, a call and a log', [assignment('x'), called, logged('m')], ['set call log']],
  ['two assignments', [assignment('x'), assignment('y')], ['set set']],
  ['two calls', [called, called], ['call call']],
  ['two logs', [logged('m'), logged('n')], ['log', 'log']],
  ['an assignment after a call', [called, assignment('x')], ['call', 'set']],
  ['a call after a log', [logged('m'), called], ['log', 'call']],
])('%s become the steps %j', (_name, actions, forms) => {
  const found = steps(oneStep({ type: 'action', actions: [...actions] })) ?? []
  expect(
    found.map((step) =>
      step.type === 'action'
        ? [
            ...step.assignments.map(() => 'set'),
            ...(step.externalCalls ?? []).map(() => 'call'),
            ...(step.logging === undefined ? [] : ['log']),
          ].join(' ')
        : step.type,
    ),
  ).toEqual(forms)
  const next = found.map((step) => (step.type === 'action' ? step.nextStepId : undefined))
  expect(next).toEqual([...found.slice(1).map(({ id }) => id), 'done'])
})

test('a call keeps its target, result and time limit', () => {
  const [step] = steps(oneStep({ type: 'action', actions: [called] })) ?? []
  expect(step).toMatchObject({
    externalCalls: [{ type: 'function', target: 's#m', resultVariable: 'r', timeout: 5 }],
  })
})
