import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** The flows of ARCHITECTURE.md name files that exist, so that a renamed one is renamed there. */
const root = join(import.meta.dirname, '..')
const [, flows = ''] = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split(/^## Flows$/m)
const named = Array.from(flows.matchAll(/`((?:[\w-]+\/)*[\w-]+\.(?:ts|js))`/g), ([, path = '']) => path)

test('the flows name files', () => expect(named.length).toBeGreaterThan(60))

test.each([...new Set(named)])('%s', (path) => {
  const folders = path.startsWith('packages/') ? [''] : ['apps/engine-server/src', 'packages/filter/src', '']
  expect(folders.some((folder) => existsSync(join(root, folder, path)))).toBe(true)
})
