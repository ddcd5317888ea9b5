import { describe, expect, test } from 'vitest'
import { bytesIn, formatIn, IMPORT_FORMATS, optionsIn, READS, requireType } from './formats.ts'

const refused = (code: string, message: string) => expect.objectContaining({ name: 'HttpError', code, message })

describe('the parameter `format`', () => {
  test.each(IMPORT_FORMATS.map((format) => [format]))('%s', (format) =>
    expect(formatIn(new URLSearchParams({ format }))).toBe(format),
  )

  const names = '`engine`, `jdm`, `dmn`, `json-rules-engine`, `xlsx`, `csv`'
  test.each([
    ['', 'it is missing'],
    ['format=', 'found ``'],
    ['format=JDM', 'found `JDM`'],
  ])('%j is refused', (query, found) =>
    expect(() => formatIn(new URLSearchParams(query))).toThrow(
      refused('invalid-request', `the query parameter \`format\` must be one of ${names}: ${found}`),
    ),
  )
})

describe('parameters of single formats', () => {
  test.each([
    ['', 'csv', { decision: undefined, repeatInput: undefined }],
    ['decision=Fee', 'dmn', { decision: 'Fee', repeatInput: undefined }],
    ['repeat_input=false', 'jdm', { decision: undefined, repeatInput: false }],
    ['repeat_input=true', 'jdm', { decision: undefined, repeatInput: true }],
  ] as const)('%j of %s', (query, format, options) =>
    expect(optionsIn(new URLSearchParams(query), format)).toEqual(options),
  )

  test.each([
    ['decision=Fee', 'jdm', '`decision` has a meaning only with the format `dmn`, found `jdm`'],
    ['repeat_input=true', 'dmn', '`repeat_input` has a meaning only with the format `jdm`, found `dmn`'],
    ['repeat_input=1', 'jdm', '`repeat_input` must be `true` or `false`, found `1`'],
  ] as const)('%j of %s is refused', (query, format, message) =>
    expect(() => optionsIn(new URLSearchParams(query), format)).toThrow(
      refused('invalid-request', `the query parameter ${message}`),
    ),
  )
})

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

describe('the content type', () => {
  test.each([
    ['engine', 'application/json'],
    ['jdm', 'application/json; charset=utf-8'],
    ['json-rules-engine', 'Application/JSON'],
    ['dmn', 'application/xml'],
    ['dmn', 'text/xml ;charset=utf-8'],
    ['xlsx', XLSX],
    ['xlsx', 'application/octet-stream'],
    ['csv', 'text/csv'],
  ] as const)('of %s may be %s', (format, header) => expect(() => requireType(format, header)).not.toThrow())

  test.each([
    ['engine', 'text/csv', 'application/json'],
    ['jdm', 'application/xml', 'application/json'],
    ['json-rules-engine', undefined, 'application/json'],
    ['dmn', 'application/json', 'application/xml'],
    ['xlsx', 'text/csv', XLSX],
    ['csv', 'application/json', 'text/csv'],
  ] as const)('of %s is not %s', (format, header, type) =>
    expect(() => requireType(format, header)).toThrow(
      refused(
        'unsupported-media-type',
        `a document of the format \`${format}\` is sent with \`content-type: ${type}\``,
      ),
    ),
  )

  test('bodies of all of them stay bytes', async () => {
    const types = ['application/json', 'application/xml', 'text/xml', XLSX, 'application/octet-stream', 'text/csv']
    expect(Object.keys(READS).sort()).toEqual(types.sort())
    const bytes = Buffer.from('{}')
    for (const read of Object.values(READS)) expect(bytesIn(await read(bytes))).toBe(bytes)
  })

  test('a body that no type read is empty', () => expect(bytesIn('text')).toEqual(new Uint8Array()))
})
