import { shownPart, textOfHtml } from '../frame/shown-part.testing.ts'
import { createElement } from 'react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { CanaryProgress, Execution, Measures, Stage } from './progress.ts'
import { execution, stage } from './progress.testing.ts'
import { Stages } from './stages.tsx'
import { Tiles } from './tiles.tsx'

const NOW = Date.parse('2026-01-01T10:00:00Z')
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString()

/** A time of day as the page shows it. */
const clock = (seconds: number) =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(NOW + seconds * 1000)

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const event = (type: string, seconds: number, environment = 'prod') => ({
  type,
  at: at(seconds),
  environment,
  data: {},
})

/** The text of each step of a rollout, and the rest. */
async function steps(during: Partial<Execution>, stages: readonly Stage[] = [], events: readonly object[] = []) {
  const props = {
    environment: 'prod',
    weight: 'high',
    isOneOfMany: false,
    canary: stages.length === 0 ? undefined : { stages },
    execution: execution(during),
    events,
    versions: { live: '1.0.0', candidate: '1.1.0' },
  }
  const { html, text } = await shownPart(() => createElement(Stages, props as never))
  const words = Array.from(html.matchAll(/<li class="stage-part".*?<\/li>/gs), ([one]) => {
    const width = /width:([\d.]+)%/.exec(one)?.[1] ?? ''
    return `${textOfHtml(one)}${width}`.replaceAll(' | ', '|')
  })
  return { words, text }
}

const OPEN = { begun_at: at(-300), ends_at: at(300) }
const current = (index: number) => ({ index, percent: 10, ends_at: at(300), verdict: null }) as Execution['stage']

describe('the check before a rollout', () => {
  const servers = [{ environment: 'prod' }, { environment: 'prod' }, { environment: 'test' }] as never
  test.each<[during: Partial<Execution>, events: readonly object[], text: string]>([
    [{ step: 'preflight' }, [], '|Check|running|are all engines ready?|0'],
    [{ step: 'canary', servers }, [event('preflight_passed', -120)], `|Check|passed|${clock(-120)}, 2 engines|100`],
    [{ step: 'preflight', servers }, [event('preflight_passed', -120)], '|Check|running|are all engines ready?|0'],
    [{ environment: 'test' }, [event('preflight_passed', -120)], '|Check|not begun|are all engines ready?|0'],
  ])('with %j and %j', async (during, events, text) => {
    expect((await steps(during, [], events)).words[0]).toBe(text)
  })
})

describe('a stage', () => {
  test.each<[name: string, stage: Partial<Stage>, during: Partial<Execution>, text: string]>([
    ['to come', {}, {}, '|10 % for 10 min|not begun|when the stage before it is passed|0'],
    [
      'half over',
      OPEN,
      { stage: current(0) },
      `|10 % for 10 min|running|5 min left|since ${clock(-300)}, ends ${clock(300)}, 0 candidate requests|50`,
    ],
    [
      'that needs requests',
      { ...OPEN, min_requests: 1000, requests: { canary: 40, stable: 360 } },
      { stage: current(0) },
      `|10 % for 10 min|running|5 min left|since ${clock(-300)}, ends ${clock(300)} with 1,000 candidate requests; 40 so far|50`,
    ],
    [
      'over its time',
      { begun_at: at(-700), ends_at: at(-100) },
      { stage: current(0) },
      `|10 % for 10 min|running|time over for 2 min|since ${clock(-700)}, ends ${clock(-100)}, 0 candidate requests|100`,
    ],
    [
      'paused',
      OPEN,
      { stage: current(0), status: 'paused' },
      '|10 % for 10 min|paused|paused: the clock of the stage stands still|50',
    ],
    [
      'passed',
      { ...OPEN, ended_at: at(-60), requests: { canary: 40, stable: 360 } },
      { step: 'verify' },
      `|10 % for 10 min|passed|passed ${clock(-60)}, 40 requests|100`,
    ],
    [
      'ended',
      { ...OPEN, ended_at: at(-60) },
      { status: 'rolled_back' },
      `|10 % for 10 min|ended|ended ${clock(-60)}, 0 requests|100`,
    ],
    ['skipped', {}, { status: 'completed', step: 'done' }, '|10 % for 10 min|not begun|skipped|0'],
  ])('%s', async (_name, one, during, text) => {
    expect((await steps(during, [stage(0, one)])).words[1]).toBe(text)
  })
})

describe('full traffic and verification', () => {
  test.each<[during: Partial<Execution>, events: readonly object[], texts: readonly string[]]>([
    [{}, [], ['|Everyone|not begun|all engines together|0', '|Verify|not begun|every engine reports it|0']],
    [{ step: 'full' }, [], ['|Everyone|running|on all engines|50', '|Verify|not begun|every engine reports it|0']],
    [
      { step: 'full', status: 'paused' },
      [],
      ['|Everyone|paused|on all engines|50', '|Verify|not begun|every engine reports it|0'],
    ],
    [{ step: 'verify' }, [], ['|Everyone|passed|on all engines|100', '|Verify|running|every engine reports it|50']],
    [
      { step: 'done', status: 'completed', ended_at: at(-30) },
      [],
      ['|Everyone|passed|on all engines|100', `|Verify|passed|done ${clock(-30)}|100`],
    ],
    [
      { environment: 'next' },
      [event('environment_completed', -90), event('environment_completed', -10, 'next')],
      ['|Everyone|passed|on all engines|100', `|Verify|passed|done ${clock(-90)}|100`],
    ],
    [
      { environment: 'before' },
      [],
      ['|Everyone|not begun|all engines together|0', '|Verify|not begun|every engine reports it|0'],
    ],
  ])('with %j and %j', async (during, events, texts) => {
    expect((await steps(during, [], events)).words.slice(1)).toEqual(texts)
  })

  test('after the stages of a canary', async () => {
    expect((await steps({}, [stage(0)])).words[2]).toBe('|Everyone|not begun|after the stages|0')
  })
})

test('the measured share is that of the last stage that has begun', async () => {
  const done = stage(0, { ...OPEN, requests: { canary: 1, stable: 9 } })
  const running = stage(1, { ...OPEN, percent: 50, requests: { canary: 30, stable: 70 } })
  expect((await steps({ stage: current(1) }, [done, running, stage(2)])).text).toContain(
    '| Target 50 %, | actual 30 % | 1.1.0 · 30 | 1.0.0, live · 70 requests |',
  )
  expect((await steps({}, [stage(0, OPEN)])).text).not.toContain('1.1.0')
})

const MEASURE = { canary: 3, stable: 30, e: 1, alarm: 100, alarm_at: 9, ratio: { low: 0.5, high: 1.5 } }
const MEASURES = {
  requests: { canary: 100, stable: 900 },
  errors: MEASURE,
  latency: MEASURE,
  codes: { e: 1, alarm: 100, counts: { OK: { canary: 90, stable: 890 }, NO: { canary: 10, stable: 10 } } },
} as unknown as Measures

/** The text of the three tiles. */
async function tiles(measures: object = {}, more: object = {}, canary: object = {}) {
  const all = { ...MEASURES, ...measures }
  const props = {
    canary: {
      environment: 'prod',
      stages: [],
      slow_above_ms: 20,
      on_failure: 'rollback',
      predicted: null,
      measures: all,
      ...canary,
    } as unknown as CanaryProgress,
    measures: all,
    expected: [],
    events: [],
    now: NOW,
    hasEnded: false,
    colours: new Map([
      ['NO', '--no'],
      ['OK', '--ok'],
    ]),
    versions: { live: '1.0.0', candidate: '1.1.0' },
    ...more,
  }
  const { html } = await shownPart(() => createElement(Tiles, props as never))
  return html.split('</section>').map(textOfHtml)
}

test.each<[name: string, given: Parameters<typeof tiles>, tile: number, text: string]>([
  [
    'errors',
    [],
    0,
    '| Errors | safe so far | -0.33 | points, between -2.75 and +5.21 | 3 % of the candidate, 3.3 % of live. Proved: fails less than twice as often. | Show as table | Far from an alarm | Details | Evidence 1, alarm at 100 |',
  ],
  ['an alarm', [{ errors: { ...MEASURE, e: 100 } }], 0, '| Errors | alarm | -0.33 | points'],
  [
    'evidence near the alarm',
    [{ errors: { ...MEASURE, e: 40 } }],
    0,
    'less than twice as often. | Show as table | Close to an alarm | Details | Evidence 40, alarm at 100 |',
  ],
  [
    'evidence at half',
    [{ errors: { ...MEASURE, e: 10 } }],
    0,
    '| Half way to an alarm | Details | Evidence 10, alarm at 100 |',
  ],
  [
    'few requests',
    [{ requests: { canary: 29, stable: 900 } }],
    0,
    '| Errors | collecting | +7.01 | points, between +0.11 and +23.08 | 10.3 % of the candidate, 3.3 % of live.',
  ],
  [
    'few requests at the end',
    [{ requests: { canary: 29, stable: 900 } }, { hasEnded: true }],
    0,
    '| Errors | few requests | +7.01 |',
  ],
  [
    'no request',
    [{ requests: { canary: 0, stable: 0 } }],
    0,
    '| Errors | collecting | No request was compared yet. | Far from an alarm |',
  ],
  [
    'no bound of the ratio',
    [{ errors: { ...MEASURE, ratio: { low: 0.5, high: 2 } } }],
    0,
    '3.3 % of live. | Show as table |',
  ],
  [
    'slow answers',
    [],
    1,
    '| Latency | safe so far | -0.33 | points slower than 20 ms, between -2.75 and +5.21 | 3 % of the candidate, 3.3 % of live are that slow. | Show as table | Far from an alarm |',
  ],
  [
    'no limit of slow answers',
    [{}, {}, { slow_above_ms: null }],
    1,
    '| Latency | collecting | Not measured yet: the first minute of the first stage',
  ],
  [
    'errors, where slow answers have no limit',
    [{}, {}, { slow_above_ms: null }],
    0,
    '| Errors | safe so far | -0.33 |',
  ],
  [
    'codes',
    [],
    2,
    '| Result codes | safe so far | -8.89 | points OK, between -16.34 and -4.32 | No recorded decision predicts the results. | 1.1.0 | 1.0.0 | NO | 10 %, live 1.1 % | OK | 90 %, live 98.9 % |',
  ],
  ['a shift of codes', [{ codes: { ...MEASURES.codes, e: 100 } }], 2, '| Result codes | shifts | -8.89 |'],
  [
    'a predicted shift',
    [
      { codes: { ...MEASURES.codes, e: 100 } },
      {},
      { predicted: { replayed: 100, codes: { OK: { before: 99, after: 90 }, NO: { before: 1, after: 10 } } } },
    ],
    2,
    '| Result codes | shifts, as reviewed | -8.89 | points OK, between -16.34 and -4.32 | The review predicted -9 (dotted), from 100 recorded decisions. |',
  ],
  [
    'expected changes',
    [
      {},
      {
        expected: [
          { from: 'error:limit', to: 'NO', share: 0.1 },
          { from: 'OK', to: 'NO', share: null },
        ],
      },
    ],
    2,
    '| limit → NO was expected, for at most 10 % of limit. | OK → NO was expected. |',
  ],
  [
    'no code',
    [{ codes: { e: 1, alarm: 100, counts: {} } }],
    2,
    '| Result codes | safe so far | No request was compared yet. |',
  ],
])('a tile with %s', async (_name, given, tile, text) => {
  expect((await tiles(...given))[tile]).toContain(text)
})
