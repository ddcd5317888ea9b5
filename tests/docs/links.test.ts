import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const PAGES = globSync('{*.md,{docs,examples,deploy}/**/*.md,{packages,apps,bench}/*/README.md}', { cwd: ROOT })

const withoutCode = (page: string) => page.replaceAll(/```[^]*?```/g, '')

/** The anchors of a page as GitHub makes them of headings: lower case, punctuation dropped, `-` for each space. */
function anchorsOf(path: string): ReadonlySet<string> {
  const page = withoutCode(readFileSync(path, 'utf8'))
  const headings = Array.from(page.matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  )
  const explicit = Array.from(page.matchAll(/<a id="([^"]*)">/g), ([, id = '']) => id)
  return new Set([...headings, ...explicit])
}

const links = PAGES.flatMap((page) =>
  Array.from(withoutCode(readFileSync(join(ROOT, page), 'utf8')).matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => ({
    page,
    target,
  })),
).filter(({ target }) => !/^[a-z]+:/.test(target))

test('the pages have links to each other', () => expect(links.length).toBeGreaterThan(100))

test.each(PAGES)('every link of %s leads to a file of the repository, and to a heading where it names one', (page) => {
  const broken = links.filter((link) => {
    if (link.page !== page) return false
    const [file = '', anchor] = link.target.split('#')
    const path = file === '' ? join(ROOT, page) : resolve(ROOT, dirname(page), file)
    if (relative(ROOT, path).startsWith('..') || !existsSync(path)) return true
    return anchor !== undefined && !anchorsOf(path).has(anchor)
  })
  expect(broken.map(({ target }) => target)).toEqual([])
})

const named = PAGES.flatMap((page) =>
  Array.from(
    readFileSync(join(ROOT, page), 'utf8').matchAll(
      /`((?:tests|packages|apps|deploy|examples|bench|docs)\/[\w./-]+)`/g,
    ),
    ([, path = '']) => ({ page, path }),
  ),
)

test('every file that a page names in code exists', () => {
  expect(named.length).toBeGreaterThan(50)
  expect(
    named.filter(({ path }) => !existsSync(join(ROOT, path)) && globSync(`${path}*`, { cwd: ROOT }).length === 0),
  ).toEqual([])
})
