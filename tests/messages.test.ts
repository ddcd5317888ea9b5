import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { minimal } from './minimal-ruleset.testing.ts'

const packages = join(import.meta.dirname, '..', 'packages')

/** Files that put only their own words between backticks, or the value of an option, which its operator needs whole. */
const OWN_WORDS = [
  join('expression', 'src', 'json', 'reader.ts'),
  join('expression', 'src', 'quote.ts'),
  join('grpc-server', 'src', 'method.ts'),
  join('http-server', 'src', 'tls-files.ts'),
  join('process', 'src', 'options', 'read-options.ts'),
  join('process', 'src', 'options', 'value.ts'),
  join('process', 'src', 'start-error.ts'),
  join('process', 'src', 'start-file.ts'),
  join('receipts', 'src', 'malformed.ts'),
  join('rule-file', 'src', 'yaml-text.ts'),
]

test('messages of the packages quote text of users by `quote`', () => {
  const sources = readdirSync(packages, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /^[^/\\]+[/\\]src[/\\].*\.ts$/.test(path) && !/\.(?:test|testing)\.ts$|[/\\]proto[/\\]/.test(path),
  )
  expect(sources.length).toBeGreaterThan(150)
  const byHand = sources.filter((path) => readFileSync(join(packages, path), 'utf8').includes('\\`${'))
  expect(byHand.sort()).toEqual(OWN_WORDS)
})

test('a mark of direction in a name is shown by its code point', () => {
  const { config, steps } = minimal('r')
  const [problem] = decodeRuleset({ config: { ...config, entry_step: 'a\u202eb' }, steps }).problems
  expect(problem?.message).toContain('`aU+202Eb`')
  expect(problem?.message).not.toContain('\u202e')
})
