import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { textsOf } from './prose.testing.ts'

/**
 * References in comments and pages lead somewhere: names of files, `function()` names, and the numbers of sections and
 * list items of the two documents in docs/specification.
 */
const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const IGNORED = ['**/node_modules/**', '**/dist/**', 'out/**', '**/.git/**', '**/.data/**']

const files = globSync('**/*', { cwd: ROOT, exclude: IGNORED, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
const paths = new Set(files)
const names = new Set(files.map((path) => basename(path)))

const sources = files.filter(
  (path) => /\.(?:[mc]?ts|tsx|js)$/.test(path) && !/generated\/|apps\/studio\/src\/api\/schema\.ts/.test(path),
)
const pages = files.filter((path) => path.endsWith('.md') && !path.startsWith('docs/specification/'))
const commented = [...sources, ...pages].map((path) => ({ path, texts: textsOf(path, read(path)).comments }))

/** Names of files outside the repository: products, placeholders, examples. */
const OTHER_FILES = new Set(['Node.js', 'ipaddr.js', 'NAME-thread.ts', 'docs/a/b.md', 'limit.contract.ts'])
const FILE = /(?<![\w/.-])((?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:tsx?|[cm]?js|mts|sql|md|py|sh))\b(?!\()/g

const leadsToFile = (from: string, name: string) =>
  OTHER_FILES.has(name) ||
  (name.includes('/')
    ? paths.has(normalize(join(dirname(from), name))) ||
      files.some((path) => path === name || path.endsWith(`/${name}`))
    : names.has(name))

test('named files exist', () => {
  const found = commented.flatMap(({ path, texts }) =>
    texts.flatMap((text) => Array.from(text.matchAll(FILE), ([, name = '']) => ({ path, name }))),
  )
  expect(found.length).toBeGreaterThan(500)
  expect(found.filter(({ path, name }) => !leadsToFile(path, name))).toEqual([])
})

/** `name()` and `object.name()` in code; `errno(3)` is a page of a manual, `fcntl()` belongs to the system. */
const CALL = /`([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\((?!\d\))[^`]*`/g
const OTHER_FUNCTIONS = new Set(['fcntl', 'fromX'])

test('named functions are in the sources', () => {
  const identifiers = new Set(
    sources.flatMap((path) => textsOf(path, read(path)).code.match(/[A-Za-z_$][\w$]*/g) ?? []),
  )
  const found = commented.flatMap(({ path, texts }) =>
    texts.flatMap((text) => Array.from(text.matchAll(CALL), ([, name = '']) => ({ path, name }))),
  )
  expect(found.length).toBeGreaterThan(100)
  const unknown = found.filter(({ name }) => {
    const last = name.split('.').at(-1) ?? ''
    return !identifiers.has(last) && !OTHER_FUNCTIONS.has(last)
  })
  expect(unknown).toEqual([])
})

/** The numbers of a document: `4`, `4.3`, and items of numbered lists as `5.7` or, below a subsection, `4.3.2`. */
function sectionsOf(page: string): ReadonlySet<string> {
  let section = ''
  const found = new Set<string>()
  for (const line of read(page).split('\n')) {
    const heading = /^#{2,3} (\d+(?:\.\d+)?)\.? /.exec(line)?.[1]
    const item = /^(\d+)\. /.exec(line)?.[1]
    if (heading !== undefined) section = heading
    else if (line.startsWith('#')) section = ''
    const number = heading ?? (item === undefined || section === '' ? undefined : `${section}.${item}`)
    if (number !== undefined) found.add(number)
  }
  return found
}

/** The first number behind the name of a document, and those that `,`, `and`, `or`, `to` join to it. */
const NUMBERS = String.raw`,? (?:sections? )?(\d+(?:\.\d+)*(?:(?:,| and| or| to) \d+(?:\.\d+)+)*)`

test.each([
  ['specification', 'docs/specification/interface-specification.md', 60],
  ['platform contract', 'docs/specification/platform-contract.md', 10],
])('the numbers behind "%s" are sections of %s or items of their lists', (name, page, atLeast) => {
  const sections = sectionsOf(page)
  const pattern = new RegExp(`\\b${name}${NUMBERS}`, 'gi')
  const found = commented.flatMap(({ path, texts }) =>
    texts.flatMap((text) =>
      Array.from(text.matchAll(pattern), ([, numbers = '']) =>
        (numbers.match(/\d+(?:\.\d+)*/g) ?? []).map((number) => ({ path, number })),
      ).flat(),
    ),
  )
  expect(found.length).toBeGreaterThanOrEqual(atLeast)
  expect(found.filter(({ number }) => !sections.has(number))).toEqual([])
})

test('no comment refers to a document by a name that leads nowhere', () => {
  const found = commented.flatMap(({ path, texts }) =>
    texts.flatMap((text) =>
      Array.from(text.matchAll(/\b(?:platform API|design)(?: section)? \d[\d.]*/gi), ([one]) => `${path}: ${one}`),
    ),
  )
  expect(found).toEqual([])
})
