import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Check } from './check.ts'
import { run } from './command.ts'
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

/** Lints the descriptions of servers with different options; any finding ends the linter with another code than 0. */
const linter = (name: string, lint: (bin: string, document: string, folder: string) => Promise<unknown>): Check => ({
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
    return `0 errors, 0 warnings in ${lengths.join(', ')} bytes`
  },
})

export const LINTERS: readonly Check[] = [
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
