import { expect, test } from 'vitest'
import { type AnalyzedSave, sentencesOfAnalysis } from './save-analysis.ts'

type Report = AnalyzedSave['report']
type Impact = AnalyzedSave['impacts'][number]
type Region = Impact['diff']['regions'][number]

const report = (more: Partial<Report> = {}): Report => ({
  findings: [],
  questions: { proved: 3, refuted: 2, unknown: 1 },
  domain: 'any',
  truncated: false,
  reason: null,
  ...more,
})

const finding = (more: Partial<Report['findings'][number]> = {}): Report['findings'][number] => ({
  kind: 'gap',
  place: '/steps/0',
  verdict: 'refuted',
  severity: 'warning',
  reason: 'no branch takes it',
  ...more,
})

const CLEAN = 'No mistake was found: 5 questions are decided for all inputs, 1 are unknown.'
const GAP = 'Warning at /steps/0, gap, shown by an input: no branch takes it.'
const LIMIT = 'The analysis reached its limit: other mistakes are possible.'

test.each<readonly [string, Report, readonly string[]]>([
  ['without findings is clean', report(), [CLEAN]],
  ['with a finding is not clean', report({ findings: [finding()] }), [GAP]],
  ['that was cut says so after its findings', report({ findings: [finding()], truncated: true }), [GAP, LIMIT]],
  ['that was cut before its first finding says both', report({ truncated: true }), [CLEAN, LIMIT]],
  [
    'that has no result gives the reason alone',
    report({ reason: 'too many steps', truncated: true }),
    ['The ruleset was not analysed: too many steps.'],
  ],
  ['leaves out information', report({ findings: [finding({ severity: 'info' })] }), [CLEAN]],
  [
    'leaves out what the author intends',
    report({ findings: [finding({ acknowledged: { reason: 'as agreed' } }), finding()] }),
    [GAP],
  ],
  [
    'names the branches of a proved error',
    report({
      findings: [
        finding({ severity: 'error', verdict: 'proved', kind: 'shadowed', by: ['/a', '/b'], reason: 'taken' }),
      ],
    }),
    ['Error at /steps/0, shadowed, proved for all inputs: taken (/a, /b).'],
  ],
  [
    'shows the input of a finding about the whole ruleset',
    report({ findings: [finding({ place: '', verdict: 'unknown', witness: { input: { n: 1 } } })] }),
    ['Warning at the ruleset, gap, unknown: no branch takes it. Input that shows it: {"n":1}.'],
  ],
])('a report %s', (_, shown, sentences) => {
  expect(sentencesOfAnalysis({ report: shown, impacts: [] })).toEqual(sentences)
})

const region = (more: Partial<Region> = {}): Region => ({
  condition: 'n > 1',
  complete: true,
  before: { code: 'ALLOW', message: '', output: { limit: 1 } },
  after: { error: { code: 'division', step: 's' } },
  witness: { input: { n: 2 } },
  ...more,
})

const impact = (diff: Partial<Impact['diff']>, version = '1.0.0'): Impact => ({
  environment: 'prod',
  base: { version, digest: '', release_id: null },
  diff: {
    verdict: 'different',
    regions: [],
    only_adds: 'unknown',
    only_removes: 'unknown',
    no_new_failure: 'unknown',
    unknown: [],
    truncated: false,
    ...diff,
  },
  probes: { asked: 0, changed: 0 },
})

const EXACT =
  'exactly the inputs with `n > 1` change from ALLOW {"limit":1} to the error division, for example {"n":2}.'

test.each<readonly [string, Impact, readonly string[]]>([
  [
    'equivalent save changes nothing',
    impact({ verdict: 'equivalent', regions: [region()] }),
    ['In prod, where 1.0.0 is live, nothing changes: proved for all inputs.'],
  ],
  ['complete region is exact', impact({ regions: [region()] }), [`In prod, where 1.0.0 is live, ${EXACT}`]],
  [
    'content without a version is a version',
    impact({ regions: [region()] }, ''),
    [`In prod, where a version is live, ${EXACT}`],
  ],
  [
    'incomplete region admits others',
    impact({ regions: [region({ complete: false })] }),
    [
      'In prod, where 1.0.0 is live, inputs with `n > 1`, and perhaps others, change from ALLOW {"limit":1} to the error division, for example {"n":2}.',
    ],
  ],
  [
    'list of ten regions is whole',
    impact({ regions: Array.from({ length: 10 }, () => region()) }),
    Array.from({ length: 10 }, () => `In prod, where 1.0.0 is live, ${EXACT}`),
  ],
  [
    'list of twelve regions ends after ten, and counts the others',
    impact({ regions: Array.from({ length: 12 }, () => region()) }),
    [
      ...Array.from({ length: 10 }, () => `In prod, where 1.0.0 is live, ${EXACT}`),
      'In prod, where 1.0.0 is live, 2 more changes are known.',
    ],
  ],
  [
    'comparison without an end gives its first reason',
    impact({
      verdict: 'unknown',
      unknown: [
        { place: '', reason: 'a call' },
        { place: '', reason: 'a loop' },
      ],
    }),
    ['In prod, where 1.0.0 is live, further changes are possible: a call.'],
  ],
])('in sentences: %s', (_, shown, sentences) => {
  const all = sentencesOfAnalysis({ report: report({ reason: 'x' }), impacts: [shown] })
  expect(all.slice(1)).toEqual(sentences)
})
