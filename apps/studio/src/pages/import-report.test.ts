import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { components } from '../api/schema.ts'
import { ImportReport } from './import-report.tsx'

type Report = components['schemas']['ImportReport']
type Document = Report['documents'][number]
type Reason = Report['reasons'][number]

const READY: Document = { document: 'a.json', verdict: 'ready', rulesets: ['a'], cases: [] }
const one = (passed: boolean, failures: readonly string[] = []) => ({
  ruleset: 'a',
  name: passed ? 'right' : 'wrong',
  passed,
  failures: [...failures],
})
const REASON: Reason = {
  severity: 'error',
  code: 'feel',
  count: 1,
  places: [{ document: 'a.dmn', path: '/d', message: 'lost', line: 2, column: 3 }],
}

/** The shown report; elements are separated by a bar. */
function shown(documents: readonly Document[], reasons: readonly Reason[] = [], isBusy = false) {
  const count = (verdict: Document['verdict']) => documents.filter((document) => document.verdict === verdict).length
  const cases = documents.flatMap((document) => document.cases)
  const report: Report = {
    summary: {
      documents: documents.length,
      ready: count('ready'),
      review: count('review'),
      refused: count('refused'),
      cases: cases.length,
      failed: cases.filter(({ passed }) => !passed).length,
    },
    documents: [...documents],
    reasons: [...reasons],
  }
  const html = renderToStaticMarkup(createElement(ImportReport, { report, isBusy, apply: () => undefined }))
  const text = html.replaceAll(/<[^>]*>/g, '|').replaceAll(/(?:\s*\|)+\s*/g, ' | ')
  return { html, text }
}

test.each<readonly [title: string, documents: readonly Document[], lines: readonly string[], isRefused: boolean]>([
  [
    'a file that is ready',
    [READY],
    ['The file is ready. | The files have no tests.', '| a.json | a | none | ready |', '| Import 1 ruleset |'],
    false,
  ],
  [
    'files that are ready, with tests that pass',
    [
      { ...READY, cases: [one(true)] },
      { ...READY, document: 'b.json', rulesets: ['b', 'c'], cases: [one(true)] },
    ],
    [
      'All 2 files are ready. | All 2 tests of the files pass here.',
      '| a.json | a | 1 of 1 | ready |',
      '| b.json | b, c | 1 of 1 | ready |',
      '| Import 3 rulesets |',
      'New drafts are made of all of them or of none.',
      '| All 2 tests | passed | right | a, a.json | passed | right | a, b.json |',
    ],
    false,
  ],
  [
    'a file to review, with a test that fails',
    [{ ...READY, verdict: 'review', cases: [one(true), one(false, ['expected 1', 'found 2'])] }],
    [
      '1 file needs a look before you import. | 1 of 2 tests of the files pass here.',
      '| a.json | a | 1 of 2 | to review |',
      'The drafts keep what the report names',
      '| Tests that fail here | failed | wrong | a, a.json | expected 1 | found 2 | All 2 tests |',
    ],
    false,
  ],
  [
    'a file that is refused, beside one that is ready',
    [READY, { document: 'b.dmn', verdict: 'refused', rulesets: [], cases: [] }],
    [
      '1 file cannot be imported as it is. | The files have no tests.',
      '| b.dmn | nothing | not run | refused |',
      'A file with missing parts is not stored.',
    ],
    true,
  ],
  ['a model that others import', [{ ...READY, rulesets: [] }], ['| a.json | nothing | none | ready |'], true],
])('%s is shown', (_, documents, lines, isRefused) => {
  const { html, text } = shown(documents)
  for (const line of lines) expect(text).toContain(line)
  expect(/<button[^>]* disabled=""/.test(html)).toBe(isRefused)
  expect(text).toContain('| Everything was carried over exactly. |')
})

test('where every file is refused no tests are named, and without tests there is no list of them', () => {
  const refused: Document = { document: 'b.dmn', verdict: 'refused', rulesets: [], cases: [] }
  expect(shown([refused]).text).not.toContain('The files have no tests.')
  expect(shown([READY]).html).not.toContain('aria-label="Tests"')
  expect(shown([{ ...READY, cases: [one(true)] }]).text).not.toContain('Tests that fail here')
})

test.each([
  ['ready', 'ok', 'ok'],
  ['review', 'warn', 'warn'],
  ['refused', 'bad', 'bad'],
] as const)('the verdict %s has the color %s', (verdict, color, tone) => {
  const { html } = shown([{ ...READY, verdict }])
  expect(html).toContain(`color:var(--${color})`)
  expect(html.includes('lucide-circle-check')).toBe(verdict === 'ready')
  expect(html).toContain(`<span class="tag" data-tone="${tone}">`)
})

test('a report in progress cannot be applied again', () => {
  expect(shown([READY], [], true).html).toContain('aria-disabled="true"')
  expect(shown([READY]).html).not.toContain('aria-disabled')
})

test.each<readonly [reason: Reason, text: string, tone: string, isOpen: boolean]>([
  [REASON, '| missing | Expressions of FEEL | 1 place | lost | a.dmn, line 2, column 3, | /d |', 'bad', true],
  [
    { ...REASON, severity: 'warning', code: 'unknown', places: [{ document: 'a.dmn', path: '', message: 'other' }] },
    '| may decide differently | unknown | 1 place | other | a.dmn |',
    'warn',
    false,
  ],
  [
    {
      ...REASON,
      severity: 'info',
      code: 'toString',
      count: 4,
      places: [{ document: '', path: '/a', message: 'm', line: 1 }],
    },
    '| for your information | toString | 4 places | m | , | /a | and 3 more places |',
    '',
    false,
  ],
])('the reason %j is shown', (reason, line, tone, isOpen) => {
  const { html, text } = shown([READY], [reason])
  expect(text).toContain(line)
  expect(text.includes('more place')).toBe(reason.count > reason.places.length)
  expect(/<details class="import-reason"[^>]* open=""/.test(html)).toBe(isOpen)
  expect(html).toContain(
    tone === '' ? '<summary><span class="tag">' : `<summary><span class="tag" data-tone="${tone}">`,
  )
  expect(text).not.toContain('Everything was carried over exactly.')
})

test('parts have names, tables have columns, and tests have the color of their result', () => {
  const { html } = shown([{ ...READY, verdict: 'review', cases: [one(true), one(false)] }])
  expect(Array.from(html.matchAll(/aria-label="([^"]*)"/g), ([, name]) => name)).toEqual([
    'Report',
    'Report: Files',
    'Tests',
    'What was not carried over exactly',
  ])
  expect(Array.from(html.matchAll(/<th scope="col">([^<]*)</g), ([, name]) => name)).toEqual([
    'File',
    'Becomes',
    'Tests',
    'Report',
  ])
  expect(Array.from(html.matchAll(/<td data-title="([^"]*)"/g), ([, name]) => name)).toEqual([
    'File',
    'Becomes',
    'Tests',
    'Report',
  ])
  expect(
    Array.from(html.matchAll(/data-tone="(\w+)">(passed|failed)</g), ([, tone, text]) => `${tone} ${text}`),
  ).toEqual(['bad failed', 'ok passed', 'bad failed'])
  expect(html).toMatch(/role="status".*<button type="button"[^>]*data-kind="primary"/s)
  expect(html).toMatch(/tabindex="0" role="region"/)
})
