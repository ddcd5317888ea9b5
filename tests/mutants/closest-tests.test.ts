import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { closestTests, readImporters } from './closest-tests.ts'

const FILES = {
  'packages/p/src/index.ts': "export { a } from './a.ts'",
  'packages/p/src/a.ts': "import './late.ts'",
  'packages/p/src/late.ts': '',
  'packages/p/src/a.test.ts': "import { a } from './a.ts'",
  'packages/p/src/b.test.ts': "import { b } from './a.ts'",
  'apps/s/src/s.ts': "import { a } from '@engine/p'",
  'apps/s/src/thread.ts': "startThread(new URL('s.ts', import.meta.url)); void import('./s.ts')",
  'tests/s.test.ts': "import { s } from '../apps/s/src/thread.ts'",
  'tests/other.test.ts': '',
}

function importers() {
  const root = mkdtempSync(join(tmpdir(), 'imports-'))
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return readImporters(root, Object.keys(FILES), new Map([['@engine/p', 'packages/p/src/index.ts']]))
}

test.each<[source: string, tests: readonly string[]]>([
  ['packages/p/src/a.ts', ['packages/p/src/a.test.ts', 'packages/p/src/b.test.ts', 'tests/s.test.ts']],
  ['packages/p/src/late.ts', ['packages/p/src/a.test.ts', 'packages/p/src/b.test.ts', 'tests/s.test.ts']],
  ['apps/s/src/s.ts', ['tests/s.test.ts']],
])('the tests that execute %s, the closest first', (source, tests) => {
  expect(closestTests(source, importers())).toEqual(tests)
})
