import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

/** The flows of ARCHITECTURE.md and of the apps' READMEs name files that exist, so that a renamed file is renamed there. */
const root = join(import.meta.dirname, '..')

const filesNamedIn = (text: string) =>
  Array.from(new Set(Array.from(text.matchAll(/`((?:[\w-]+\/)*[\w-]+\.(?:tsx?|js))`/g), ([, path = '']) => path)))

const read = (page: string) => readFileSync(join(root, page), 'utf8')
/** The flows of ARCHITECTURE.md: the first three are those of the engine, the others those of the platform. */
const flows = read('ARCHITECTURE.md')
  .split(/^## /m)
  .filter((part) => part.startsWith('Six flows'))
  .flatMap((part) => part.split(/^### /m).slice(1))

const PAGES = [
  {
    page: 'ARCHITECTURE.md: the engine',
    text: flows.slice(0, 3).join(''),
    sources: ['apps/engine-server/src'],
    atLeast: 20,
  },
  {
    page: 'ARCHITECTURE.md: the platform',
    text: flows.slice(3).join(''),
    sources: ['apps/platform-server/src'],
    atLeast: 20,
  },
  {
    page: 'apps/engine-server/README.md',
    text: read('apps/engine-server/README.md'),
    sources: ['apps/engine-server/src', 'packages/filter/src'],
    atLeast: 60,
  },
  {
    page: 'apps/platform-server/README.md',
    text: read('apps/platform-server/README.md'),
    sources: ['apps/platform-server/src'],
    atLeast: 120,
  },
  {
    page: 'apps/studio/README.md',
    text: read('apps/studio/README.md'),
    sources: ['apps/platform-server/src'],
    atLeast: 10,
  },
]

test('ARCHITECTURE.md has six flows and fits in 200 lines', () => {
  expect(flows).toHaveLength(6)
  expect(read('ARCHITECTURE.md').split('\n').length).toBeLessThanOrEqual(200)
})

describe.each(PAGES)('$page', ({ text, sources, atLeast }) => {
  const named = filesNamedIn(text)

  test('names files', () => expect(named.length).toBeGreaterThanOrEqual(atLeast))

  test.each(named)('%s', (path) => {
    const folders = [...sources, '']
    expect(folders.some((folder) => existsSync(join(root, folder, path)))).toBe(true)
  })
})
