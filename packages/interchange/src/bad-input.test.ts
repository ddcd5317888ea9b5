import { expect, test } from 'vitest'
import { BAD_INPUT, type BadInput } from './bad-input.testing.ts'
import { fromCsv } from './csv/from-csv.ts'
import { fromDmn } from './dmn/from-dmn.ts'
import type { Imported } from './conversion-result.ts'
import { ModelLibrary } from './dmn/model-library.ts'
import { TooLarge } from './size-error.ts'
import { fromXlsx } from './xlsx/from-xlsx.ts'

test('there are rows for each format', () => {
  const formats = new Map(Object.entries(Object.groupBy(BAD_INPUT, ({ format }) => format)))
  for (const [format, rows] of formats) expect(rows.length, format).toBeGreaterThan(25)
})

test.each(BAD_INPUT)('$format: $title', ({ format, document, beside, code, at }) => {
  const imported = read(format, document(), beside?.() ?? [])
  const first = imported.lost.find(({ severity }) => severity === 'error')
  const place = first?.line === undefined ? first?.path : `${first.line}:${first.column}`
  expect({ code: first?.code, at: place }, first?.message).toEqual({ code, at })
})

function read(format: BadInput['format'], document: string | Uint8Array, beside: readonly string[]): Imported {
  try {
    if (typeof document !== 'string') return fromXlsx(document)
    const library = new ModelLibrary(beside.map((text, index) => [`${index}.dmn`, text]))
    return format === 'csv' ? fromCsv(document) : fromDmn(document, undefined, { library })
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error
    return { rulesets: [], lost: [{ path: '', code: error.code, message: error.message, severity: 'error' }] }
  }
}
