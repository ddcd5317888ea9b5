import type { Problem } from '@engine/authoring'
import { describe, expect, test } from 'vitest'
import type { TestRun } from '../test-suites/model.ts'
import { conflict, failing, faults, unacknowledged, weakContracts } from './blockers.ts'
import type { Diff } from './model.ts'
import type { Found } from './request.ts'
import type { RequiredMode } from './requirements.ts'
import type { Copy } from './snapshot.ts'

const FOUND = {
  environments: [{ id: 'e1', name: 'prod' }],
  rulesets: [{ name: 'rate' }, { name: 'fee' }],
} as unknown as Found
const copy = (more: object = {}): Copy =>
  ({ name: 'fee', document: {}, problems: [], subject: { contract: undefined }, ...more }) as unknown as Copy
const problem = (severity: Problem['severity']): Problem => ({
  path: '/steps',
  message: 'is empty',
  code: 'c',
  severity,
})

describe('problems of a ruleset', () => {
  test.each<[title: string, copy: Copy, expected: readonly string[] | undefined]>([
    ['none', copy(), undefined],
    ['warnings release it', copy({ problems: [problem('warning')] }), undefined],
    [
      'an error refuses it, without the warnings',
      copy({ problems: [problem('warning'), problem('error')] }),
      ['/rulesets/1/steps'],
    ],
    [
      'a ruleset without a document is refused',
      copy({ document: undefined, problems: [problem('error')] }),
      ['/rulesets/1/steps'],
    ],
    ['a ruleset without a document is refused even without an error', copy({ document: undefined }), []],
  ])('%s', (_title, one, expected) => {
    expect(faults([one], FOUND)[0]?.problems.map(({ path }) => path)).toEqual(expected)
  })

  test('name the ruleset in the error', () => {
    expect(faults([copy({ problems: [problem('error')] })], FOUND)[0]?.error).toMatchObject({
      code: 'invalid-request',
      details: [{ path: '/rulesets/1/steps', message: 'is empty' }],
    })
  })
})

const result = (name: string, ...messages: readonly string[]) => ({
  suite: 'main',
  name,
  passed: messages.length === 0,
  failures: messages.map((message) => ({ message })),
})
const ran = (...results: readonly ReturnType<typeof result>[]) => {
  const failed = results.filter(({ passed }) => !passed).length
  return { total: results.length, passed: results.length - failed, failed, results } as unknown as TestRun
}

describe('attached tests', () => {
  test('that did not run, or pass, refuse nothing', () => {
    expect([failing(null), failing(ran(result('a')))]).toEqual([[], []])
  })

  test('that fail are named with every failure, at most twenty', () => {
    const [blocker] = failing(ran(result('a'), result('b', 'code', 'output')))
    expect(blocker?.error).toMatchObject({ message: '1 of 2 cases of the attached suites fail' })
    expect(blocker?.problems).toEqual([
      { path: '/rulesets', code: 'tests_failed', message: '`main`, `b`: code; output', severity: 'error' },
    ])
    const many = Array.from({ length: 21 }, (_, index) => result(`c${index}`, 'code'))
    expect(failing(ran(...many))[0]?.problems).toHaveLength(20)
  })
})

test('breaks of contracts are named until they are acknowledged', () => {
  const diff = {
    environment: 'prod',
    ruleset: 'fee',
    contract: { breaks: [{ path: '/input', message: 'age is new' }] },
  }
  expect(unacknowledged([])).toEqual([])
  expect(unacknowledged([diff as unknown as Diff])[0]?.problems).toEqual([
    {
      path: '/acknowledge_breaking',
      code: 'breaking_change',
      message: '`fee` in `prod`: age is new',
      severity: 'error',
    },
  ])
})

describe('the mode of a contract', () => {
  const has = (mode?: string) => copy({ subject: { contract: mode === undefined ? undefined : { mode } } })
  const OFF = copy({ subject: { contract: {} } })
  const own = (text: string) => [`\`prod\` requires the contract mode \`warn\` of \`fee\`, and ${text}`]
  test.each<[title: string, copy: Copy, mode: RequiredMode['mode'], expected: readonly string[]]>([
    ['suffices', has('warn'), 'warn', []],
    ['is stricter', has('enforce'), 'warn', []],
    ['is weaker', has('off'), 'warn', own('its project has `off`')],
    ['is `off` by default', OFF, 'warn', own('its project has `off`')],
    ['is missing with the contract', has(), 'warn', own('it has no contract')],
    [
      '`warn` does not enforce',
      has('warn'),
      'enforce',
      ['`prod` requires the contract mode `enforce` of `fee`, and its project has `warn`'],
    ],
  ])('%s', (_title, one, mode, expected) => {
    const [blocker] = weakContracts([one], [{ environmentId: 'e1', mode }], FOUND)
    expect((blocker?.problems ?? []).map(({ message }) => message)).toEqual(expected)
    expect(blocker?.problems[0]?.path ?? '/rulesets/1').toBe('/rulesets/1')
  })
})

test('a blocker is an error with its details, and without details a problem of the whole', () => {
  const detail = { path: '/a', code: 'name_taken', message: 'is taken' }
  const [full, bare] = [conflict('name_taken', 'm', [detail], 'now'), conflict('name_taken', 'm', [], undefined)]
  expect(full.error).toMatchObject({
    details: [{ path: '', code: 'name_taken', message: 'm' }, detail],
    current: 'now',
  })
  expect(full.problems).toEqual([{ ...detail, severity: 'error' }])
  expect(bare.problems).toEqual([{ path: '', code: 'name_taken', message: 'm', severity: 'error' }])
})
