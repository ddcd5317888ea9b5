import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './page.testing.ts'

/** docs/platform/clauses.md and its sibling pages name the test of each sentence of the contract. */
const folder = join(ROOT, 'docs/platform')
const pages = readdirSync(folder).filter((name) => /^clauses.*\.md$/.test(name))
const rows = pages
  .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
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

test('the files and the titles that the pages name exist', () => {
  const missing = named.filter(({ file, title }) => {
    if (!existsSync(pathOf(file))) return true
    const source = readFileSync(pathOf(file), 'utf8')
    return !['"', "'", '`'].some((quote) => source.includes(quote + title + quote))
  })
  expect(missing).toEqual([])
})
