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

test('each entry is one line', () => {
  const [, ...sections] = changes.split(/^## /m)
  const continued = sections.flatMap((section) => section.split('\n')).filter((line) => /^\s+\S/.test(line))
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
