import type { ObjectValue, Value } from '@engine/expression'
import { decodeRuleset, type Ruleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { readDecisionRecord } from './decision-record.ts'
import { LastVersions, replay, ReplayedVersions, Replayer } from './replay.ts'

const call = (method: string, variable: string | undefined, params: readonly Value[] = []): Value => ({
  action: 'external_call',
  service: 'bureau',
  method,
  params: [['id', 'id'], ...params],
  ...(variable !== undefined && { result_variable: variable }),
})

function rulesetOf(actions: readonly Value[], condition: string): Ruleset {
  const { ruleset, problems } = decodeRuleset({
    config: { name: 'credit', entry_step: 'ask' },
    steps: {
      ask: { id: 'ask', name: 'Ask', type: 'action', actions, next_step: 'check' },
      check: {
        id: 'check',
        name: 'Check',
        type: 'decision',
        branches: [{ condition, next_step: 'yes' }],
        default_next: 'no',
      },
      yes: { id: 'yes', name: 'Yes', type: 'terminal', result: { code: 'YES', message: '' } },
      no: { id: 'no', name: 'No', type: 'terminal', result: { code: 'NO', message: '' } },
    },
  })
  if (ruleset === undefined) throw new Error(JSON.stringify(problems))
  return ruleset
}

const score = (value: number): ObjectValue => ({ payload: { score: value }, metadata: { status: '200' } })
const made = (method: string, outcome: ObjectValue, id: Value = 7): Value => ({
  step: 'ask',
  service: 'bureau',
  method,
  parameters: { id },
  ...outcome,
})

function replayed(before: Ruleset, after: Ruleset, record: Value) {
  const read = readDecisionRecord(record)
  if (typeof read === 'string') throw new Error(read)
  const { transitions, not_replayed } = replay(before, after, [read])
  return transitions.map(({ from, to }) => `${from}->${to}`).join() || not_replayed[0]?.reason || 'unchanged'
}

const asking = (condition: string) => rulesetOf([call('score', 'r')], condition)
const [LOW, HIGH] = [asking('$r.payload.score >= 500'), asking('$r.payload.score >= 700')]

describe('recorded calls answer those of both versions', () => {
  const input = { id: 7 }
  test.each<[title: string, before: Ruleset, after: Ruleset, record: Value, expected: string]>([
    ['a decision changes', LOW, HIGH, { calls: [made('score', { answer: score(600) })], code: 'YES' }, 'YES->NO'],
    ['a decision stays', LOW, HIGH, { calls: [made('score', { answer: score(800) })], code: 'YES' }, 'unchanged'],
    ['without calls', LOW, HIGH, { code: 'YES' }, 'it calls something outside the ruleset'],
    ['an empty list', LOW, HIGH, { calls: [], code: 'YES' }, 'it makes a call that was not recorded'],
    [
      'other parameters',
      LOW,
      HIGH,
      { calls: [made('score', { answer: score(600) }, 8)] },
      'it makes a call that was not recorded',
    ],
    [
      'another method',
      LOW,
      rulesetOf([call('rating', 'r')], 'true'),
      { calls: [made('score', { answer: score(600) })] },
      'it makes a call that was not recorded',
    ],
    [
      'a failed call',
      LOW,
      rulesetOf([], 'true'),
      { calls: [made('score', { error: 'refused' })] },
      'error:external-call->YES',
    ],
    [
      'metadata, service and method',
      LOW,
      asking('$r.metadata.status == "200" && $r.capability == "bureau" && $r.operation == "score"'),
      { calls: [made('score', { answer: score(100) })] },
      'NO->YES',
    ],
    [
      'the same call twice gets both answers in their order',
      rulesetOf([call('score', 'a'), call('score', 'b')], '$a.payload.score < $b.payload.score'),
      rulesetOf([call('score', 'a'), call('score', 'b')], '$a.payload.score > $b.payload.score'),
      { calls: [made('score', { answer: score(1) }), made('score', { answer: score(2) })], code: 'YES' },
      'YES->NO',
    ],
    [
      'calls in another order',
      rulesetOf([call('score', 'a'), call('rating', 'b')], '$a.payload.score < $b.payload.score'),
      rulesetOf([call('rating', 'b'), call('score', 'a')], '$a.payload.score < $b.payload.score'),
      { calls: [made('score', { answer: score(1) }), made('rating', { answer: score(2) })], code: 'YES' },
      'unchanged',
    ],
    [
      'a call that nothing waits for needs no answer',
      rulesetOf([call('notify', undefined)], 'id == 7'),
      rulesetOf([call('notify', undefined)], 'id == 8'),
      { calls: [], code: 'YES' },
      'YES->NO',
    ],
    [
      'the recorded clock',
      rulesetOf([], 'time_diff(now(), "2026-01-01T00:00:00Z", "days") < 10'),
      rulesetOf([], 'time_diff(now(), "2026-01-01T00:00:00Z", "days") < 5'),
      { now: Date.UTC(2026, 0, 8), code: 'YES' },
      'YES->NO',
    ],
  ])('%s', (_title, before, after, record, expected) => {
    expect(replayed(before, after, { input, ...(record as ObjectValue) })).toBe(expected)
  })
})

describe('inputs that a contract refused', () => {
  const held = (mode: string, ...fields: readonly Value[]): Ruleset => {
    const contract = { mode, contract: { name: 'c', version: '1.0.0', input: { fields }, outputs: [] } }
    const { ruleset } = decodeRuleset({
      config: { name: 'credit', entry_step: 'end', contract },
      steps: { end: { id: 'end', type: 'terminal', result: { code: 'YES', message: '' } } },
    })
    if (ruleset === undefined) throw new Error('a ruleset that engines refuse')
    return ruleset
  }
  const field = (name: string, type: string, more: ObjectValue = {}): Value => ({ name, type, required: true, ...more })
  const AGE = field('age', 'integer')
  const REFUSED = { outcome: 'refused', code: null }
  const DECIDED = { outcome: 'decided', code: 'YES' }
  const MASKED = 'a masked value is read'
  const OTHER = 'the old version does not decide what was recorded'
  test.each<[title: string, before: Ruleset, after: Ruleset, record: ObjectValue, expected: string]>([
    ['stay refused', held('enforce', AGE), held('enforce', AGE), { ...REFUSED, input: {} }, 'unchanged'],
    ['are decided', held('enforce', AGE), held('warn', AGE), { ...REFUSED, input: {} }, 'error:INVALID_INPUT->YES'],
    ['were decided', held('warn', AGE), held('enforce', AGE), { ...DECIDED, input: {} }, 'YES->error:INVALID_INPUT'],
    ['by another version', held('warn', AGE), held('enforce', AGE), { ...REFUSED, input: {} }, OTHER],
    ['that another version decided', held('enforce', AGE), held('warn', AGE), { ...DECIDED, input: {} }, OTHER],
    ['by a masked value', held('enforce', AGE), held('warn'), { ...REFUSED, input: { age: '***' } }, MASKED],
    [
      'by a masked choice',
      held('enforce', field('tier', 'string', { enum: ['gold'] })),
      held('warn'),
      { ...REFUSED, input: { tier: '***' } },
      MASKED,
    ],
    [
      'with a masked text of any value',
      held('enforce', AGE, field('name', 'string')),
      held('warn'),
      { ...REFUSED, input: { name: '***' } },
      'error:INVALID_INPUT->YES',
    ],
  ])('%s', (_title, before, after, record, expected) => {
    const read = readDecisionRecord(record)
    if (typeof read === 'string') throw new Error(read)
    const replayer = new Replayer(new ReplayedVersions(before, after, { mask: '***' }))
    replayer.add(read)
    const { transitions, not_replayed } = replayer.replayed()
    const change = transitions.map(({ from, to }) => `${from}->${to}`).join()
    expect(change || (not_replayed[0]?.reason ?? 'unchanged')).toBe(expected)
  })
})

describe('masked values of recorded answers', () => {
  const hidden = (payload: ObjectValue) => ({
    calls: [made('score', { answer: { payload, metadata: {} } })],
    code: 'YES',
  })
  test.each<[title: string, after: Ruleset, record: ObjectValue, expected: string]>([
    ['that no version reads', HIGH, hidden({ score: 600, name: '***' }), 'YES->NO'],
    ['that both read', HIGH, hidden({ score: '***' }), 'a masked value is read'],
    [
      'that one version reads',
      asking('$r.payload.name == "x"'),
      hidden({ score: 600, name: '***' }),
      'a masked value is read',
    ],
    [
      'of an answer that is read whole',
      asking('$r != null'),
      hidden({ score: 600, name: '***' }),
      'a masked value is read',
    ],
    [
      'of a parameter: the call is not found',
      HIGH,
      { calls: [made('score', { answer: score(600) }, '***')] },
      'it makes a call that was not recorded',
    ],
  ])('%s', (_title, after, record, expected) => {
    const read = readDecisionRecord({ input: { id: 7 }, ...record })
    if (typeof read === 'string') throw new Error(read)
    const replayer = new Replayer(new ReplayedVersions(LOW, after, { mask: '***' }))
    replayer.add(read)
    const { transitions, not_replayed } = replayer.replayed()
    expect(transitions.map(({ from, to }) => `${from}->${to}`).join() || not_replayed[0]?.reason).toBe(expected)
  })
})

describe('the versions of a replay are made again', () => {
  test.each<[title: string, texts: readonly string[], isMade: boolean]>([
    ['not for the same texts', ['a', 'b'], false],
    ['for another candidate', ['a', 'c'], true],
    ['for another base', ['c', 'b'], true],
    ['with one more called ruleset', ['a', 'b', 'c'], true],
    ['with one less called ruleset', ['a'], true],
  ])('%s', (_title, texts, isMade) => {
    const last = new LastVersions()
    const first = last.get(['a', 'b'], () => new ReplayedVersions(LOW, HIGH))
    expect(last.get(texts, () => new ReplayedVersions(LOW, HIGH)) === first).toBe(!isMade)
  })

  test('after their memory was needed', () => {
    const last = new LastVersions()
    const first = last.get(['a', 'b'], () => new ReplayedVersions(LOW, HIGH))
    last.clear()
    expect(last.get(['a', 'b'], () => new ReplayedVersions(LOW, HIGH))).not.toBe(first)
  })

  test('after making others failed', () => {
    const last = new LastVersions()
    last.get(['a', 'b'], () => new ReplayedVersions(LOW, HIGH))
    const fail = () => {
      throw new TypeError('not a ruleset')
    }
    expect(() => last.get(['a', 'c'], fail)).toThrow('not a ruleset')
    expect(() => last.get(['a', 'c'], fail)).toThrow('not a ruleset')
  })
})

test.each<[calls: Value]>([
  [{}],
  [['x']],
  [[{ service: 's', method: 'm', parameters: {} }]],
  [[{ service: 's', method: 'm', parameters: [], answer: {} }]],
  [[{ service: 's', method: 'm', parameters: {}, answer: {}, error: 'both' }]],
  [[{ service: 1, method: 'm', parameters: {}, answer: {} }]],
  [[{ service: 's', method: 'm', parameters: {}, answer: 'text' }]],
])('calls of another form are refused: %j', (calls) => {
  expect(readDecisionRecord({ input: {}, calls })).toContain('`calls` must be a list')
})

test.each<[clock: object, expected: number | string | undefined]>([
  [{}, undefined],
  [{ now: 5 }, 5],
  [{ at: '1970-01-01T00:00:01.500Z' }, 1500],
  [{ at: '1970-01-01T01:00:00+01:00' }, 0],
  [{ now: 5, at: '1970-01-01T00:00:01Z' }, 5],
  [{ now: '5' }, '`now` must be a number of milliseconds'],
  [{ now: 9e15 }, '`now` must be a number of milliseconds'],
  [{ at: 'yesterday' }, '`at` must be a time such as `2026-11-29T12:00:00Z`'],
  [{ at: '2026-13-01T00:00:00Z' }, '`at` must be a time such as `2026-11-29T12:00:00Z`'],
  [{ at: 0 }, '`at` must be a time such as `2026-11-29T12:00:00Z`'],
])('the clock of a record %j is %j', (clock, expected) => {
  const read = readDecisionRecord({ input: {}, ...clock })
  expect(typeof read === 'string' ? read : read.now).toBe(expected)
})
