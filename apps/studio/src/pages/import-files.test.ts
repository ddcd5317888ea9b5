import { describe, expect, test } from 'vitest'
import { ApiError } from '../api/errors.ts'
import { FORMATS, formatOf, mergeReports, refusedReport } from './import-files.ts'

const file = (name: string, text = '') => new File([text], name)

describe('the format of a file', () => {
  test.each([
    ['a.dmn', '', 'dmn'],
    ['a.XML', '', 'dmn'],
    ['a.xlsx', '', 'xlsx'],
    ['a.csv', 'in:a,next', 'csv'],
    ['a.json', '{"nodes": [], "edges": []}', 'jdm'],
    ['a.json', '{"nodes": []}', 'jdm'],
    ['a.json', '{"edges": []}', 'jdm'],
    ['a.json', '{"rules": []}', 'json-rules-engine'],
    ['a.json', '{"conditions": {}}', 'json-rules-engine'],
    ['a.json', '{"event": {}}', 'json-rules-engine'],
    ['a.json', '{"config": {}, "config": {}}', 'engine'],
    ['nodes', '{}', 'engine'],
    ['a.json', '[{"conditions": {}, "event": {}}]', 'json-rules-engine'],
    ['a.json', '{"conditions": {}, "event": {}}', 'json-rules-engine'],
    ['a.json', '{"config": {}, "steps": {}}', 'engine'],
    ['a.json', '{', 'jdm'],
  ])('%s %s is %s', async (name, text, format) => expect(await formatOf(file(name, text))).toBe(format))
})

test.each([
  ['model.dmn', '', 'application/xml'],
  ['table.csv', '', 'text/csv'],
  ['book.xlsx', '', 'application/octet-stream'],
  ['rules.json', '{}', 'application/json'],
  ['decision.json', '{"nodes": []}', 'application/json'],
  ['rules.json', '[]', 'application/json'],
])('the file %s with %j is sent as %s', async (name, text, type) =>
  expect(FORMATS[await formatOf(file(name, text))]).toBe(type),
)

test('a large JSON file is not read to recognize its format', async () => {
  const sized = (size: number) => formatOf({ name: 'a.json', size, text: () => Promise.resolve('{"rules": []}') })
  expect([await sized(5_000_000), await sized(5_000_001)]).toEqual(['json-rules-engine', 'jdm'])
})

describe('the report of several files', () => {
  const unread = refusedReport(new ApiError(400, { error: 'not read' }, null))

  test('counts all, and names the file at each place', () => {
    const merged = mergeReports([unread, unread], ['a.dmn', 'b.dmn'])
    expect(merged.summary).toEqual({ documents: 2, ready: 0, review: 0, refused: 2, cases: 0, failed: 0 })
    expect(merged.documents.map(({ document }) => document)).toEqual(['a.dmn', 'b.dmn'])
    expect(merged.reasons).toHaveLength(1)
    expect(merged.reasons[0]?.count).toBe(2)
    expect(merged.reasons[0]?.places.map(({ document }) => document)).toEqual(['a.dmn', 'b.dmn'])
  })

  test('has errors before warnings, and information last', () => {
    const one = (severity: 'error' | 'warning' | 'info', count: number) => ({
      ...unread,
      reasons: [{ severity, code: severity, count, places: [] }],
    })
    const merged = mergeReports([one('info', 9), one('warning', 5), one('error', 1)], ['a', 'b', 'c'])
    expect(merged.reasons.map(({ severity }) => severity)).toEqual(['error', 'warning', 'info'])
  })

  test('has the most frequent of equal reasons first', () => {
    const one = (code: string, count: number) => ({
      ...unread,
      reasons: [{ severity: 'warning' as const, code, count, places: [] }],
    })
    const merged = mergeReports([one('a', 1), one('b', 5), one('c', 3), one('a', 3)], ['a', 'b', 'c', 'd'])
    expect(merged.reasons.map(({ code, count }) => `${code} ${count}`)).toEqual(['b 5', 'a 4', 'c 3'])
  })

  test.each([400, 413, 415])('of a file that is answered with %i is a refusal', (status) => {
    const error = new ApiError(status, { error: 'not read' }, null)
    expect(refusedReport(error)).toEqual({
      summary: { documents: 1, ready: 0, review: 0, refused: 1, cases: 0, failed: 0 },
      documents: [{ document: '', verdict: 'refused', rulesets: [], cases: [] }],
      reasons: [
        {
          severity: 'error',
          code: 'not-read',
          count: 1,
          places: [{ document: '', path: '', message: error.message }],
        },
      ],
    })
  })

  test.each([401, 403, 404, 409, 414, 416, 500])(
    'is none for an answer of %i, which is not about the file',
    (status) => {
      const error = new ApiError(status, { error: 'not now' }, null)
      expect(() => refusedReport(error)).toThrow(error)
    },
  )

  test('is not that of a platform that cannot be reached', () => {
    const error = new ApiError(0, undefined, null)
    expect(() => refusedReport(error)).toThrow(error)
  })
})
