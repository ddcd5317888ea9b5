import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './page.testing.ts'

/** CHANGELOG.md is by version, one line an entry, and its newest version is that of every workspace. */
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const [changes = '', formats = ''] = read('CHANGELOG.md').split(/^## Formats$/m)
const versions = Array.from(changes.matchAll(/^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$/gm), ([, version]) => version)
const newest = versions[0]

test('the headings are versions with their date', () => {
  expect(versions.length).toBeGreaterThan(1)
  expect(changes.match(/^## /gm)?.length).toBe(versions.length)
})

test.each(
  globSync('{package.json,{apps,packages}/*/package.json,{bench,conformance,examples}/package.json}', { cwd: ROOT }),
)('%s has the newest version', (path) => expect(JSON.parse(read(path))).toHaveProperty('version', newest))

/** Sections of versions, as Keep a Changelog has them; 0.1.0 lists what there was by program. */
const HEADINGS = ['Added', 'Changed, breaking', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']
const sections = changes
  .split(/^## /m)
  .slice(1)
  .filter((version) => !version.startsWith('0.1.0 '))
  .flatMap((version) => version.split(/^### /m).slice(1))

test('the sections of a version are known ones, and a breaking change says what to do', () => {
  const headings = sections.map((section) => section.split('\n')[0] ?? '')
  expect(headings.filter((heading) => !HEADINGS.includes(heading))).toEqual([])
  const breaking = sections.filter((section) => /^(?:Changed, breaking|Removed)\n/.test(section))
  expect(breaking.length).toBeGreaterThan(0)
  const entries = breaking.flatMap((section) => section.split('\n').filter((line) => line.startsWith('- ')))
  expect(entries.filter((entry) => !entry.includes(' Upgrade: '))).toEqual([])
})

test('each entry is one line', () => {
  const continued = changes
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => section.split('\n'))
    .filter((line) => /^\s+\S/.test(line))
  expect(continued).toEqual([])
})

/** The number in the code that a row of the table of formats states. */
const constantOf = (path: string, pattern: RegExp) => pattern.exec(read(path))?.[1]
const migrations = globSync('apps/platform-server/src/database/migrations/*.sql', { cwd: ROOT }).length

test.each([
  ['compiled ruleset', constantOf('packages/signing/src/binary.ts', /^const VERSION = (\d+)$/m)],
  ['database of the platform', `migration ${migrations}`],
  [
    'embedded database',
    `PostgreSQL ${constantOf('apps/platform-server/src/database/data-directory.ts', /MAJOR\w* = '(\d+)'/)}`,
  ],
  [
    'backup of the platform',
    constantOf('apps/platform-server/src/database/backup-format.ts', /^const VERSION = (\d+)$/m),
  ],
])('the table of formats has the version of the code: %s', (format, version) => {
  const row = formats.split('\n').find((line) => line.startsWith(`| ${format}`)) ?? ''
  const [, , , current = ''] = row.split('|').map((cell) => cell.trim())
  expect(current).toBe(version)
})
