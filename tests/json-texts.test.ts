import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

/**
 * Every JSON text becomes a value in one reader (docs/decisions/0008). The linter refuses `JSON.parse`; this refuses the
 * other ways to it, in all sources, those that come later included.
 */
const root = join(import.meta.dirname, '..')

/** The reader itself, which passes only text to `JSON.parse` that it has found harmless. */
const READER = new Set(['packages/expression/src/json/json.ts', 'packages/expression/src/json/reader.ts'])

/** Shows programs, as texts to copy, that read answers in the ordinary way. */
const SNIPPETS = 'apps/studio/src/pages/snippets.ts'

const sources = globSync('{packages,apps,deploy}/**/*.{ts,tsx,mts,js,mjs}', {
  cwd: root,
  exclude: ['**/node_modules/**', '**/dist/**', '**/generated/**', '**/*.test.ts', '**/*.testing.ts'],
}).filter((file) => !READER.has(file) && file !== SNIPPETS)

/** Calls that read JSON with `JSON.parse`, by its name or inside of a library. */
const READS = [
  /\bJSON\s*(?:\?\.|\.)\s*parse\b/,
  /\bJSON\s*(?:\?\.)?\[/,
  /=\s*(?:globalThis\.)?JSON\b(?!\s*[.(])/,
  /\.json\s*(?:<[^>]*>)?\(\s*\)/,
  /\bimport\b[^;]*\bjson\b[^;]*'node:stream\/consumers'/,
  /\bwith\s*\{\s*type:\s*'json'\s*\}/,
]

const readsItself = (source: string) => READS.some((pattern) => pattern.test(withoutComments(source)))

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1')
}

test('sources are found', () => expect(sources.length).toBeGreaterThan(150))

test.each(sources)('%s reads no JSON by itself', (file) => {
  expect(readsItself(readFileSync(join(root, file), 'utf8'))).toBe(false)
})

describe('every way of reading is recognized', () => {
  test.each([
    'JSON.parse(text)',
    'JSON\n  .parse(text)',
    'globalThis.JSON.parse(text)',
    "JSON['parse'](text)",
    'const { parse } = JSON',
    'await response.json()',
    'await answer.body.json<Body>()',
    'message.json()',
    "import { json } from 'node:stream/consumers'",
    "import data from './data.json' with { type: 'json' }",
  ])('%s', (source) => expect(readsItself(source)).toBe(true))

  test.each(['JSON.stringify(value)', 'json(200, body)', 'MEDIA.json', '// as JSON.parse does', 'reply.json(body)'])(
    '%s is not recognized',
    (source) => expect(readsItself(source)).toBe(false),
  )
})
