import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './page.testing.ts'

/** Sections of the interface specification, with the number of their subsections or numbered statements. */
const SECTIONS = { 1: 7, 2: 10, 3: 3, 4: 11, 5: 11, 6: 3, 7: 3, 9: 6 } as const
const CLAUSES = [
  ...Object.entries(SECTIONS).flatMap(([section, count]) =>
    Array.from({ length: count }, (_one, index) => `${section}.${index + 1}`),
  ),
  '8',
  'appendix',
]

const rows = readFileSync(join(ROOT, 'docs/conformance.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| (?!clause)/.test(line))
  .map((line) => line.split('|').slice(1, -1))

/** The clauses that a row names: `5.2 to 5.5`, `2.9, 4.10`, `8`, `appendix`. */
function clausesIn(text: string): readonly string[] {
  const ranges = [...text.matchAll(/(\d)\.(\d+) to \1\.(\d+)/g)].flatMap(([, section, from, to]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_one, index) => `${section}.${Number(from) + index}`),
  )
  return [...ranges, ...(text.match(/(?<![\d.])\d\.\d+(?![\d.])|(?<![\d.,])8(?![\d.,])|^ ?appendix/g) ?? [])].map(
    (one) => one.trim(),
  )
}

test('every clause of the specification has a row', () => {
  const named = new Set(rows.flatMap(([clause = '']) => clausesIn(clause)))
  expect(CLAUSES.filter((clause) => !named.has(clause))).toEqual([])
})

test('the test files that the rows name with their path exist', () => {
  const missing = rows.flatMap(([, shown = '']) => {
    const paths = [...shown.matchAll(/`([\w./*{},-]+\.test\.ts)`/g)].map(([, path = '']) => path)
    let folder = ''
    return paths.filter((path) => {
      const isWhole = /^(apps|packages|tests)\//.test(path)
      if (isWhole) folder = dirname(path)
      // In the folder of the file before it, or below a folder that the reader finds by its name.
      const places = isWhole ? [path] : [join(folder, path), `{apps,packages,tests}/**/${path}`]
      return places.every((place) => globSync(place, { cwd: ROOT, exclude: ['**/node_modules/**'] }).length === 0)
    })
  })
  expect(missing).toEqual([])
})
