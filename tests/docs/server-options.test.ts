import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readConfiguration } from '../../apps/engine-server/src/config/config.ts'
import { blocksOf, ROOT } from './page.testing.ts'

/** Every command that starts a server, in every page, has options that the server accepts together. */

const commands = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })].flatMap((page) =>
  blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.replaceAll('\\\n', ' ').match(/^.*npx --no-install engine-server.*$/gm) ?? [])
    .map((command) => ({ page, command })),
)

test('the pages have such commands', () => expect(commands.length).toBeGreaterThan(10))

test.each(commands)('$page: $command', ({ page, command }) => {
  const [variables = '', options = ''] = command.replace(/ (?:#.*|&)$/, '').split('npx --no-install engine-server')
  const environment = Object.fromEntries(
    Array.from(variables.matchAll(/(ENGINE_\w+)=(\S+)/g), ([, name = '', value = '']) => [name, value]),
  )
  // The page documents that the broker's address comes from the environment.
  if (page === 'docs/deployment.md' && options.includes('--role'))
    environment['ENGINE_BROKER_URL'] ??= 'nats://127.0.0.1:4222'
  const start = readConfiguration(options.trim().split(/\s+/), environment)
  expect(start.kind === 'end' ? start.output : start.kind).toBe('run')
})
