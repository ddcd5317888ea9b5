import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

interface Packed {
  readonly name: string
  readonly files: readonly { readonly path: string }[]
}

test('the package of the cases has every file of cases and no code', () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', './conformance']
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' })) as [Packed]
  const cases = readdirSync(join(ROOT, 'conformance')).filter((file) => file.endsWith('.json'))
  expect([packed.name, packed.files.map(({ path }) => path).toSorted()]).toEqual([
    '@engine/conformance',
    [...cases, 'README.md'].toSorted(),
  ])
})
