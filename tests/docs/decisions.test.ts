import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './page.testing.ts'

const FOLDER = join(ROOT, 'docs/decisions')
const pages = globSync('[0-9]*.md', { cwd: FOLDER }).toSorted()
const index = readFileSync(join(FOLDER, 'README.md'), 'utf8')

test('decisions are numbered without gaps', () => {
  expect(pages.map((page) => Number(basename(page).slice(0, 4)))).toEqual(pages.map((_, at) => at + 1))
})

test.each(pages)('%s has a title, a status with its date, a decision and a check, and is listed', (page) => {
  const text = readFileSync(join(FOLDER, page), 'utf8')
  const title = new RegExp(`^# ${page.slice(0, 4)} .+`).exec(text)?.[0].slice(2)
  expect(title).toBeDefined()
  expect(text).toMatch(/^\*\*Status\.\*\* (?:Accepted|Superseded by \[\d{4}\]\(.+\)), \d{4}-\d\d-\d\d\.$/m)
  expect(text).toMatch(/^\*\*Decision\.\*\*/m)
  expect(text).toMatch(/\*\*Checked by\*\*/)
  expect(index).toContain(`- [${title}](${page})`)
})
