import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Presence } from '../../apps/platform-server/src/features/events/model.ts'
import { ReleaseEvent } from '../../apps/platform-server/src/features/releases/model.ts'
import type { Check } from './check.ts'
import { ROOT, run } from './command.ts'
import { withPlatformDocument } from './platform/platform.ts'
import { tokenOptions, withServer } from './server.ts'
import { npmPackages } from './tools.ts'

/** Options that change the description: none, and those that add to it. A platform only adds members to one schema. */
const DESCRIBED: readonly ((folder: string) => readonly string[])[] = [
  () => [],
  (folder) => [
    ...tokenOptions(folder),
    '--multi-tenancy-enabled',
    '--debug-mode',
    '--signature-enabled',
    '--workers=2',
  ],
  () => ['--role', 'reader'],
]

/** Lints a document; any finding ends the linter with another code than 0. */
type Lint = (bin: string, document: string, folder: string) => Promise<unknown>

/** Lints the descriptions of engines with different options, and that of a platform. */
const linter = (name: string, lint: Lint): Check => ({
  name: `lint: ${name}`,
  run: async () => {
    const bin = join(await npmPackages(), 'node_modules/.bin')
    const lengths: number[] = []
    for (const options of DESCRIBED)
      await withServer(options, async ({ url, folder }) => {
        const document = join(folder, 'openapi.json')
        const text = await (await fetch(`${url}/api/v1/openapi.json`)).text()
        writeFileSync(document, text)
        await lint(bin, document, folder)
        lengths.push(text.length)
      })
    await withPlatformDocument(async ({ document, folder }) => {
      await lint(bin, document, folder)
      lengths.push(readFileSync(document, 'utf8').length)
    })
    return `0 errors, 0 warnings in ${lengths.join(', ')} bytes`
  },
})

/** The schemas that the document uses of the platform's description. */
const PLATFORM_SCHEMAS = JSON.stringify({ components: { schemas: { ReleaseEvent, Presence } } })

/** Accepted findings: the document has the version 3.0 on purpose, which more tools read. */
const ACCEPTED = new Set(['asyncapi-latest-version'])

/** Prints the diagnostics of an AsyncAPI document as JSON. */
const PARSE = `
const { Parser, fromFile } = require(process.argv[1])
fromFile(new Parser(), process.argv[2]).parse().then(({ document, diagnostics }) =>
  console.log(JSON.stringify({ isRead: document !== undefined, diagnostics })))`

/** The messages and streams, with the schemas of the description that a running engine has. */
const asyncapi: Check = {
  name: 'lint: asyncapi parser',
  run: async () => {
    const parser = join(await npmPackages(), 'node_modules/@asyncapi/parser')
    return withServer(
      () => [],
      async ({ url, folder }) => {
        const document = join(folder, 'asyncapi.yaml')
        copyFileSync(join(ROOT, 'docs/asyncapi.yaml'), document)
        writeFileSync(join(folder, 'engine-openapi.json'), await (await fetch(`${url}/api/v1/openapi.json`)).text())
        writeFileSync(join(folder, 'platform-openapi.json'), PLATFORM_SCHEMAS)
        const output = await run('node', ['-e', PARSE, parser, document])
        const { isRead, diagnostics } = JSON.parse(output) as {
          readonly isRead: boolean
          readonly diagnostics: readonly { readonly code: string }[]
        }
        const found = diagnostics.filter(({ code }) => !ACCEPTED.has(code))
        if (!isRead || found.length > 0) throw new Error(JSON.stringify(found, null, 2))
        return '0 errors, 0 warnings'
      },
    )
  },
}

export const LINTERS: readonly Check[] = [
  asyncapi,
  linter('redocly', async (bin, document) => {
    const output = await run(join(bin, 'redocly'), ['lint', '--extends=recommended', '--format=json', document], {
      env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    })
    // Warnings leave the exit code 0.
    if (!/"warnings":\s*0\b/.test(output) || !/"errors":\s*0\b/.test(output)) throw new Error(output)
  }),
  linter('spectral', async (bin, document, folder) => {
    const rules = join(folder, 'spectral.json')
    writeFileSync(rules, '{"extends": ["spectral:oas"]}')
    await run(join(bin, 'spectral'), ['lint', '--ruleset', rules, '--fail-severity=hint', document])
  }),
]
