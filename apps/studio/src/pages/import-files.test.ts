import { describe, expect, test } from 'vitest'
import { ApiError } from '../api/errors.ts'
import { formatOf, mergeReports, refusedReport } from './import-files.ts'

const file = (name: string, text = '') => new File([text], name)

describe('the format of a file', () => {
  test.each([
    ['a.dmn', '', 'dmn'],
    ['a.XML', '', 'dmn'],
    ['a.xlsx', '', 'xlsx'],
    ['a.csv', 'in:a,next', 'csv'],
    ['a.json', '{"nodes": [], "edges": []}', 'jdm'],
    ['a.json', '[{"conditions": {}, "event": {}}]', 'json-rules-engine'],
    ['a.json', '{"conditions": {}, "event": {}}', 'json-rules-engine'],
    ['a.json', '{"config": {}, "steps": {}}', 'engine'],
    ['a.json', '{', 'jdm'],
  ])('%s %s is %s', async (name, text, format) => expect(await formatOf(file(name, text))).toBe(format))
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

  test('is not that of a platform that cannot be reached', () => {
    const error = new ApiError(0, undefined, null)
    expect(() => refusedReport(error)).toThrow(error)
  })
})
