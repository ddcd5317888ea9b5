import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { refusalOf } from '../build/publish.ts'
import { SCOPE } from '../build/scope.ts'

/** Holds the workflow that publishes the packages to the programs that it runs, and to least privilege. */
const ROOT = join(import.meta.dirname, '..')

interface Job {
  readonly if: string
  readonly environment: string
  readonly permissions: Readonly<Record<string, string>>
  readonly steps: readonly { readonly run?: string; readonly uses?: string; readonly env?: object }[]
}

const text = readFileSync(join(ROOT, '.github/workflows/publish.yml'), 'utf8')
const workflow = parse(text) as {
  readonly on: object
  readonly permissions: object
  readonly jobs: { readonly publish: Job }
}
const { publish } = workflow.jobs

describe('the workflow', () => {
  test('runs for tags of versions, and only where the owner turned it on', () => {
    expect(workflow.on).toEqual({ push: { tags: ['v*'] } })
    expect([publish.if, publish.environment]).toEqual(["vars.PUBLISH_PACKAGES == 'true'", 'npm'])
  })

  test('may read the repository and prove who it is, and holds no secret', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' })
    expect(publish.permissions).toEqual({ contents: 'read', 'id-token': 'write' })
    expect(text).not.toMatch(/secrets\.|https?:/)
  })

  test('uses the packages before it publishes them, by programs that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }
    const commands = publish.steps.flatMap(({ run }) => (run === undefined ? [] : [run]))
    expect(commands).toEqual(['npm ci', 'npm run check', 'npm run test:consumer', 'node build/publish.ts "$TAG"'])
    for (const command of commands) {
      const [, script] = /^npm run (\S+)/.exec(command) ?? []
      if (script !== undefined) expect(scripts).toHaveProperty(script)
      const [, file] = /^node (\S+)/.exec(command) ?? []
      if (file !== undefined) expect(existsSync(join(ROOT, file))).toBe(true)
    }
  })

  test('puts values of the event into variables, never into commands', () => {
    for (const { run = '' } of publish.steps) expect(run).not.toContain('${{')
  })
})

const given = { scope: '@acme', tag: 'v1.2.0', changes: '# Changelog\n\n## 1.2.0 (2026-12-01)\n' }
const engine = { name: '@acme/engine', version: '1.2.0', repository: { url: 'git+ssh://example.com/acme.git' } }

describe('packages are refused', () => {
  test.each([
    ['of the placeholder scope', [engine], { scope: SCOPE }, `the scope ${SCOPE} is a placeholder`],
    ['when nothing is packed', [], {}, 'nothing is packed'],
    ['of another version than the tag', [engine], { tag: 'v1.3.0' }, '@acme/engine has the version 1.2.0'],
    ['of another scope', [{ ...engine, name: '@other/engine' }], {}, 'outside of the scope @acme'],
    ['without a repository', [{ name: engine.name, version: '1.2.0' }], {}, 'names no repository'],
    [
      'without a section in the changelog',
      [engine],
      { changes: '# Changelog\n\n## 1.1.0 (2026-11-01)\n' },
      'no section for 1.2.0',
    ],
  ])('%s', (_what, packages, changed, message) => {
    expect(refusalOf(packages, { ...given, ...changed })).toContain(message)
  })

  test('else they are published', () => expect(refusalOf([engine], given)).toBeUndefined())
})
