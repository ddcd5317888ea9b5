import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './page.testing.ts'

/** docs/platform/clauses.md says which test holds which sentence of the contract. */
const page = readFileSync(join(ROOT, 'docs/platform/clauses.md'), 'utf8')
const rows = page
  .split('\n')
  .filter((line) => /^\| (?!clause)/.test(line))
  .map((line) => line.split('|').slice(1, -1))

const named = rows.flatMap(([clause = '', tests = '']) =>
  tests
    .split(' · ')
    .map((one) => /^`(.+?)`: (.+)$/.exec(one.trim()) ?? [one, '', ''])
    .map(([, file = '', title = '']) => ({ clause: clause.trim(), file, title })),
)

const pathOf = (file: string) => join(ROOT, `${file.includes('/') ? file : `tests/platform/${file}`}.test.ts`)

test('each clause has a test', () => {
  expect(rows.length).toBeGreaterThan(80)
  expect(rows.filter((cells) => cells.length !== 2)).toEqual([])
})

test('the files and the titles that the page names are there', () => {
  const missing = named.filter(({ file, title }) => {
    if (!existsSync(pathOf(file))) return true
    const source = readFileSync(pathOf(file), 'utf8')
    return !['"', "'", '`'].some((quote) => source.includes(quote + title + quote))
  })
  expect(missing).toEqual([])
})
