import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** The flows of ARCHITECTURE.md name files that exist, so that a renamed one is renamed there. */
const root = join(import.meta.dirname, '..')
const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
const [, ofEngine = '', ofPlatform = ''] = text.split(/^## Flows(?: of the platform)?$/m)
const namedIn = (flows: string) =>
  new Set(Array.from(flows.matchAll(/`((?:[\w-]+\/)*[\w-]+\.(?:ts|js))`/g), ([, path = '']) => path))

test('the flows name files', () => {
  expect(namedIn(ofEngine).size).toBeGreaterThan(60)
  expect(namedIn(ofPlatform).size).toBeGreaterThan(15)
})

test.each([
  ...Array.from(namedIn(ofEngine), (path) => [path, ['apps/engine-server/src', 'packages/filter/src']] as const),
  ...Array.from(namedIn(ofPlatform), (path) => [path, ['apps/platform-server/src']] as const),
])('%s', (path, sources) => {
  const folders = path.startsWith('packages/') ? [''] : [...sources, '']
  expect(folders.some((folder) => existsSync(join(root, folder, path)))).toBe(true)
})
