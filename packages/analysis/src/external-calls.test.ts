import { createProgram, decodeRuleset, type RulesetDocument } from '@engine/ruleset'
import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { analyze } from './analyze.ts'
import { claimsOfReport, certify, verifyCertificate } from './certificate/certify.ts'
import { diff } from './diff.ts'
import { generateCases } from './generate-cases.ts'
import { impact } from './impact.ts'
import { RegionMatch } from './region-match.ts'
import { ReplayedVersions } from './replay.ts'
import { createSession } from './session.ts'
import { measureSuite } from './suite/measure-suite.ts'
import type { Finding, Witness } from './verdict.ts'
import { whyNot } from './why-not.ts'
import { hostOf } from './witness/callees.ts'
import { furtherSearch } from './witness/further-search.ts'
import { RecordedAnswers } from './witness/recorded-calls.ts'
import { Follower } from './witness/trail.ts'

type Action = { readonly [key: string]: Value }

const call = (method: string, params: readonly (readonly [string, string])[] = [], variable: string | null = 'r') => ({
  action: 'external_call',
  service: 'credit',
  method,
  params: params.map((one) => [...one]),
  ...(variable !== null && { result_variable: variable }),
})

const set = (name: string, value: string): Action => ({ action: 'set_variable', name, value })

const end = (code: string, output: readonly (readonly [string, string])[] = []): RulesetDocument => ({
  id: code,
  type: 'terminal',
  result: { code, message: '', output: output.map((one) => [...one]) },
})

/** Actions, and the branches after them. The others end in `REST`. */
function asking(
  actions: readonly Action[],
  branches: readonly (readonly [condition: string, code: string])[],
  config: { readonly [key: string]: Value } = {},
): RulesetDocument {
  const codes = new Set([...branches.map(([, code]) => code), 'REST'])
  return {
    config: { name: 'asking', entry_step: 'ask', ...config },
    steps: {
      ask: { id: 'ask', type: 'action', actions: [...actions], next_step: 'd' },
      d: {
        id: 'd',
        type: 'decision',
        branches: branches.map(([condition, next_step]) => ({ condition, next_step })),
        default_next: 'REST',
      },
      ...Object.fromEntries([...codes].map((code) => [code, end(code)])),
    },
  }
}

function decoded(document: RulesetDocument) {
  const { ruleset, problems } = decodeRuleset(document)
  if (ruleset === undefined) throw new Error(JSON.stringify(problems))
  return ruleset
}

/** What an input ends in, by the compiled program with the answers of the witness. */
function endOf(document: RulesetDocument, { input, now = 0, stubs = [] }: Witness): string {
  const program = createProgram(decoded(document), hostOf(new Map(), true, { answers: new RecordedAnswers(stubs) }))
  try {
    const decision = program.decide(input, { now })
    return decision instanceof Promise ? 'waits' : decision.code
  } catch (error) {
    return `error:${(error as { readonly code: string }).code}`
  }
}

const brief = ({ kind, place, verdict, error }: Finding) =>
  `${kind} ${place.replace('/steps/', '')} ${verdict}${error === undefined ? '' : ` ${error}`}`

const findings = (document: RulesetDocument) => analyze(decoded(document)).findings.map(brief)

const SCORE = '$r.payload.score'
const FAILS = 'can_fail ask refuted external-call'

describe('answers of external calls are unknowns of one report', () => {
  test.each<[what: string, document: RulesetDocument, expected: readonly string[]]>([
    ['both branches are live', asking([call('get')], [[`${SCORE} == 600`, 'A']]), [FAILS]],
    [
      'a comparison of another type fails',
      asking([call('get')], [[`${SCORE} > 600`, 'A']]),
      [FAILS, 'can_fail d/branches/0 refuted wrong-type'],
    ],
    [
      'a contradiction',
      asking([call('get')], [[`${SCORE} == 600 && ${SCORE} == 601`, 'A']]),
      ['dead_branch d/branches/0 proved', 'unreachable_step A proved', 'unreachable_code A proved', FAILS],
    ],
    [
      'an answer that an earlier branch takes',
      asking(
        [call('get')],
        [
          [`${SCORE} in [1, 2]`, 'A'],
          [`${SCORE} == 2`, 'B'],
        ],
      ),
      ['shadowed d/branches/1 proved', 'unreachable_step B proved', 'unreachable_code B proved', FAILS],
    ],
    [
      'the parts of an answer that are known',
      asking([call('get')], [['$r.capability == "credit" && $r.operation == "get" && exists($r)', 'A']]),
      ['always_true d/branches/0 proved', 'unreachable_step REST proved', 'unreachable_code REST proved', FAILS],
    ],
    [
      'metadata are an object',
      asking([call('get')], [['is_object($r.metadata)', 'A']]),
      ['always_true d/branches/0 proved', 'unreachable_step REST proved', 'unreachable_code REST proved', FAILS],
    ],
    [
      'metadata are no text',
      asking([call('get')], [['$r.metadata == "x"', 'A']]),
      ['dead_branch d/branches/0 proved', 'unreachable_step A proved', 'unreachable_code A proved', FAILS],
    ],
    [
      'a payload is there, and may be null',
      asking(
        [call('get')],
        [
          ['!exists($r.payload)', 'A'],
          ['$r.payload == null', 'B'],
        ],
      ),
      ['dead_branch d/branches/0 proved', 'unreachable_step A proved', 'unreachable_code A proved', FAILS],
    ],
    [
      'two calls may differ',
      asking([call('get', [], 'a'), call('get', [], 'b')], [['$a.payload == 1 && $b.payload == 2', 'A']]),
      [FAILS],
    ],
    [
      'a member that is missing in strict mode',
      asking([call('get')], [[`${SCORE} == 600`, 'A']], { field_missing: 'strict' }),
      [FAILS, 'can_fail d/branches/0 refuted missing-field'],
    ],
    [
      'defaults are those of fields alone',
      asking([call('get')], [[`${SCORE} == 7`, 'A']], { field_missing: 'default', defaults: { score: 7 } }),
      [FAILS],
    ],
    [
      'a call whose answer is not awaited does not fail, and changes nothing',
      asking([call('notify', [['to', 'mail']], null)], [['mail == 1', 'A']]),
      [],
    ],
    [
      'a parameter may fail before the call is made',
      asking([call('get', [['n', '1 / n']])], [[`${SCORE} == 600`, 'A']]),
      [
        ...['division-by-zero', 'not-finite', 'null-operand', 'wrong-type'].map(
          (code) => `can_fail ask refuted ${code}`,
        ),
        FAILS,
      ],
    ],
  ])('%s', (_what, document, expected) => {
    expect(findings(document).toSorted()).toEqual([...expected].toSorted())
  })

  test('a witness has the answers with which both ways of execution end as it says', () => {
    const document = asking(
      [call('get', [['who', 'name']], 'a'), call('check', [['score', '$a.payload.score']], 'b')],
      [['$a.payload.score == 600 && $b.payload == "ok" && name == "ok"', 'A']],
    )
    const { findings: found } = analyze(decoded(document))
    expect(found.filter(({ verdict }) => verdict === 'unknown')).toEqual([])
    const failing = found.find(({ kind }) => kind === 'can_fail')
    expect(failing?.severity).toBe('info')
    expect(failing?.witness?.stubs?.at(-1)).toMatchObject({ service: 'credit', error: expect.any(String) })
    expect(endOf(document, failing?.witness ?? { input: {} })).toBe('error:external-call')
    const session = createSession(decoded(document), { further: furtherSearch })
    const witness = session.inputFor('d', 0)
    expect(witness?.stubs).toMatchObject([
      { service: 'credit', method: 'get', parameters: { who: 'ok' }, answer: { payload: { score: 600 } } },
      { service: 'credit', method: 'check', parameters: { score: 600 }, answer: { payload: 'ok' } },
    ])
    expect(endOf(document, witness ?? { input: {} })).toBe('A')
  })

  test('in a loop, a service answers each time anew', () => {
    const document: RulesetDocument = {
      config: { name: 'polling', entry_step: 'ask', max_depth: 20 },
      steps: {
        ask: { id: 'ask', type: 'action', actions: [call('get'), set('n', 'coalesce($n, 0) + 1')], next_step: 'd' },
        d: {
          id: 'd',
          type: 'decision',
          branches: [
            { condition: '$r.payload == "done" && $n == 3', next_step: 'LATE' },
            { condition: '$r.payload == "done"', next_step: 'SOON' },
          ],
          default_next: 'ask',
        },
        LATE: end('LATE'),
        SOON: end('SOON'),
      },
    }
    const session = createSession(decoded(document), { further: furtherSearch })
    const proved = session.report.findings.filter(({ verdict }) => verdict === 'proved')
    expect(proved).toEqual([])
    const witness = session.inputFor('d', 0)
    expect(witness?.stubs).toHaveLength(3)
    expect(endOf(document, witness ?? { input: {} })).toBe('LATE')
    const [limit] = session.report.findings.filter(({ kind }) => kind === 'depth_limit' || kind === 'endless_loop')
    expect(endOf(document, limit?.witness ?? { input: {} })).toBe('error:max-depth')
    expect(
      certify([document], [{ claim: { kind: 'unreachable_step', place: '/steps/LATE' } }]).uncertified,
    ).toMatchObject([{ reason: 'there are calls in a loop' }])
  })

  test('a field that has the name of an answer is not taken for one', () => {
    const name = 'answer of credit.get #0'
    const taken = asking([call('get')], [[`$["${name}"].payload == 1 && $r.payload == 2`, 'A']])
    expect(
      analyze(decoded(taken)).findings.filter(({ kind, verdict }) => kind === 'dead_branch' && verdict === 'proved'),
    ).toEqual([])
  })
})

describe('both versions get the same answers', () => {
  const get = call('get', [['who', 'name']])
  const low = [`${SCORE} == 600`, 'A'] as const
  test.each<[what: string, before: RulesetDocument, after: RulesetDocument, verdict: string]>([
    ['the same', asking([get], [low]), asking([get], [[`600 == ${SCORE}`, 'A']]), 'equivalent'],
    ['another threshold', asking([get], [low]), asking([get], [[`${SCORE} == 700`, 'A']]), 'different'],
    [
      'another variable',
      asking([get], [low]),
      asking([{ ...get, result_variable: 's' }], [['$s.payload.score == 600', 'A']]),
      'equivalent',
    ],
    ['another method', asking([get], [low]), asking([call('rate', [['who', 'name']])], [low]), 'different'],
    ['another parameter', asking([get], [low]), asking([call('get', [['who', 'other']])], [low]), 'different'],
    [
      'the second of two calls that are the same',
      asking([get], [low]),
      asking([{ ...get, result_variable: 'first' }, get], [low]),
      'different',
    ],
    [
      'a call of another method before it',
      asking([call('rate', [], 'a'), get], [low]),
      asking([get, call('rate', [], 'a')], [low]),
      'equivalent',
    ],
    [
      'a call before it that asks for something else',
      asking([call('get', [['who', '"a"']]), call('get', [['who', '"b"']])], [low]),
      asking([call('get', [['who', '"b"']])], [low]),
      'different',
    ],
    [
      'a call whose answer nothing reads may fail',
      asking([], [['name == 1', 'A']]),
      asking([get], [['name == 1', 'A']]),
      'different',
    ],
    [
      'a call that nothing waits for',
      asking([], [['name == 1', 'A']]),
      asking([call('notify', [['to', 'name']], null)], [['name == 1', 'A']]),
      'equivalent',
    ],
  ])('%s', (_what, before, after, verdict) => {
    const found = diff(decoded(before), decoded(after))
    expect([found.verdict, found.unknown]).toEqual([verdict, []])
    for (const { witness, before: old, after: young, complete } of found.regions) {
      const name = (side: typeof old) => ('error' in side ? `error:${side.error.code}` : side.code)
      expect([endOf(before, witness), endOf(after, witness)]).toEqual([name(old), name(young)])
      expect(complete).toBe(false)
      const { stubs = [] } = witness
      const replayed = new ReplayedVersions(decoded(before), decoded(after)).decide({ ...witness, calls: stubs })
      expect(replayed).toMatchObject({ kind: 'replayed', isChanged: true })
    }
  })

  test('of a call that is left out before one for something else, only the failure changes', () => {
    const two = asking([call('get', [['who', '"a"']], 'a'), call('get', [['who', '"b"']])], [low])
    const one = asking([call('get', [['who', '"b"']])], [low])
    const { regions, no_new_failure } = diff(decoded(two), decoded(one))
    expect(new Set(regions.map(({ before }) => ('error' in before ? before.error.code : before.code)))).toEqual(
      new Set(['external-call']),
    )
    expect(no_new_failure).toBe('proved')
  })

  test('the condition of a region names answers, and is none of the language', () => {
    const old = asking([get], [[`${SCORE} == 600`, 'A']])
    const young = asking([get], [[`${SCORE} == 700`, 'A']])
    const conditions = diff(decoded(old), decoded(young)).regions.map(({ condition }) => condition)
    expect(conditions).toHaveLength(2)
    for (const condition of conditions) {
      expect(condition).toMatch(/\[answer of credit\.get #\d+\]\.payload\.score|where credit\.get\(.*\) answers/)
      expect(condition).not.toContain('$["answer')
    }
    expect(new RegionMatch(conditions).regionOf({ name: 'n' })).toBeUndefined()
    expect(new RegionMatch(conditions).regionOf({})).toBeUndefined()
  })

  test('a gate is proved or refuted for all answers', () => {
    const old = asking([get], [low])
    const gates = impact(decoded(old), decoded(asking([get], [[`${SCORE} in [600, 700]`, 'A']])), {
      forbid: [
        { from: 'A', to: 'REST' },
        { from: 'REST', to: 'A' },
      ],
    }).gates
    expect(gates.map(({ verdict }) => verdict)).toEqual(['proved', 'refuted'])
    expect(gates[1]?.witness?.stubs).toMatchObject([{ answer: { payload: { score: 700 } } }])
  })
})

describe('an answer depends on the calls before it', () => {
  const get = call('get', [['who', 'name']])
  const rules = (name: string, variable = 'c') => ({
    action: 'call_ruleset',
    ruleset_name: name,
    input_mapping: '{"name": name}',
    result_variable: variable,
  })
  /** Each action in a step of its own, and a decision after them. */
  const steps = (actions: readonly Action[], condition: string): RulesetDocument => ({
    config: { name: 'steps', entry_step: 's0' },
    steps: {
      ...Object.fromEntries(
        actions.map((action, index) => [
          `s${index}`,
          {
            id: `s${index}`,
            type: 'action',
            actions: [action],
            next_step: index === actions.length - 1 ? 'd' : `s${index + 1}`,
          },
        ]),
      ),
      d: { id: 'd', type: 'decision', branches: [{ condition, next_step: 'A' }], default_next: 'REST' },
      A: end('A'),
      REST: end('REST'),
    },
  })
  const callee = (name: string) => decoded(asking([get], [[`${SCORE} == 600`, 'YES']], { name }))
  const callees = new Map([
    ['one', callee('one')],
    ['other', callee('other')],
  ])
  const low = `${SCORE} == 600`
  const yes = '$c.code == "YES"'
  test.each<[what: string, before: RulesetDocument, after: RulesetDocument, isProved: boolean]>([
    ['the same calls', steps([rules('one'), get], low), steps([rules('one'), get], `600 == ${SCORE}`), true],
    ['a ruleset that was called before', steps([rules('one'), get], low), steps([get], low), false],
    ['a ruleset that is called before', steps([get], low), steps([rules('one'), get], low), false],
    ['a service that a called ruleset may ask too', steps([get, rules('one')], yes), steps([rules('one')], yes), false],
    [
      'another called ruleset before one',
      steps([rules('other', 'x'), rules('one')], yes),
      steps([rules('one')], yes),
      false,
    ],
    ['the other order', steps([rules('one'), get], low), steps([get, rules('one')], low), false],
    [
      'the same call before it, in a step of its own',
      steps([{ ...get, result_variable: 'x' }, get], low),
      steps([get], low),
      false,
    ],
  ])('%s', (_what, before, after, isProved) => {
    for (const known of [callees, new Map()]) {
      const { gates } = impact(decoded(before), decoded(after), {
        forbid: [
          { from: 'A', to: 'REST' },
          { from: 'REST', to: 'A' },
        ],
        callees: known,
      })
      expect(gates.map(({ verdict }) => verdict === 'proved')).toEqual([isProved, isProved])
      const { verdict } = diff(decoded(before), decoded(after), { callees: known })
      expect(verdict === 'equivalent').toBe(isProved)
    }
    const { certificate } = certify([before, after], [{ claim: { kind: 'forbid', from: 'A', to: 'REST' } }])
    expect(certificate.proofs).toHaveLength(isProved ? 1 : 0)
  })

  test('calls before it that are too long to be carried along are unknown, and the same in both versions', () => {
    const many = Array.from({ length: 300 }, () => 'n').join(', ')
    const long = (name: string) => call('get', [['who', `[${name}, ${many}]`]], 'x')
    const actions = (name: string) => [long(name), long('b'), { ...get, params: [['who', 'n']] }]
    const of = (name: string, condition: string) => decoded(steps(actions(name), condition))
    const forbid = [{ from: 'A', to: 'REST' }]
    const verdict = (name: string) => impact(of('a', low), of(name, `600 == ${SCORE}`), { forbid }).gates[0]?.verdict
    expect(verdict('a')).toBe('proved')
    expect(verdict('c')).not.toBe('proved')
  })
})

test('a certificate proves claims about answers', () => {
  const document = asking(
    [call('get')],
    [
      [`${SCORE} in [1, 2]`, 'A'],
      [`${SCORE} == 2`, 'B'],
    ],
  )
  const { certificate, uncertified } = certify([document], claimsOfReport(analyze(decoded(document))))
  expect(uncertified).toEqual([])
  expect(verifyCertificate(certificate as unknown as Value, [document])).toHaveLength(3)
  const two = asking([call('get', [], 'a'), call('get', [], 'b')], [['$a.payload == 1 && $b.payload == 2', 'A']])
  expect(certify([two], [{ claim: { kind: 'dead_branch', place: '/steps/d/branches/0' } }]).uncertified).toHaveLength(1)
})

test('why not: the witness has the answers that the code needs', () => {
  const document = asking([call('get', [['who', 'name']])], [[`${SCORE} == 600 && age >= 18`, 'A']])
  const found = whyNot(decoded(document), { name: 'n', age: 17 }, { code: 'A' })
  expect(found).toMatchObject({ verdict: 'found', changes: [{ path: 'age', from: 17, to: 18 }], fewest: 'proved' })
  expect(endOf(document, found.witness ?? { input: {} })).toBe('A')
  const other = whyNot(decoded(document), { name: 'n', age: 20 }, { code: 'A' })
  expect(other).toMatchObject({
    verdict: 'found',
    changes: [],
    witness: { stubs: [{ answer: { payload: { score: 600 } } }] },
  })
})

test('generated cases have answers, and cases are measured with theirs', () => {
  const document = asking([call('get')], [[`${SCORE} == 600`, 'A']])
  const cases = generateCases(decoded(document))
  expect(
    cases.map(({ stubs, expect: expected }) => [stubs, 'code' in expected ? expected.code : 'error']),
  ).toContainEqual([{ 'credit.get': { score: 600 } }, 'A'])
  const { cut, branches } = measureSuite(decoded(document), [
    { input: {}, stubs: { 'credit.get': { score: 600 } } },
    { input: {}, stubs: { 'credit.get': null } },
  ])
  expect([cut, branches.covered, branches.total]).toEqual([0, 2, 2])
  expect(
    measureSuite(decoded(document), [{ input: {} }, { input: {}, stubs: { 'credit.get': { error: 'x' } } }]).branches
      .covered,
  ).toBe(0)
})

test('a called ruleset asks the same services', () => {
  const callee = decoded(asking([call('get')], [[`${SCORE} == 600`, 'A']], { name: 'callee' }))
  const document = asking(
    [{ action: 'call_ruleset', ruleset_name: 'callee', result_variable: 'c' }],
    [['$c.code == "A"', 'YES']],
  )
  const ruleset = decoded(document)
  const { findings: found } = analyze(ruleset, { callees: new Map([['callee', callee]]) })
  expect(found.filter(({ verdict }) => verdict === 'proved')).toEqual([])
  const trail = new Follower(ruleset, { callees: new Map([['callee', callee]]) }).follow(
    {},
    0,
    undefined,
    new RecordedAnswers([{ service: 'credit', method: 'get', parameters: {}, answer: { payload: { score: 600 } } }]),
  )
  expect(trail.side).toMatchObject({ code: 'YES' })
  expect(new Follower(ruleset, { callees: new Map([['callee', callee]]) }).follow({}).side).toBeUndefined()
})
