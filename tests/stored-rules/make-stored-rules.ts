/**
 * Make the rules directory of a released version, which later engines must serve, with its decisions. Run at the commit of
 * the release: `npx node tests/stored-rules/make-stored-rules.ts 0.2.0`.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { killAll, start } from '../engine-server.testing.ts'
import { REPLACED, REPLACING, type Sample, SAMPLES } from './rulesets.testing.ts'

const version = process.argv[2]
if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version)) {
  process.stderr.write('usage: node tests/stored-rules/make-stored-rules.ts <version>\n')
  process.exit(2)
}
const place = join(import.meta.dirname, version)
const rules = join(place, 'rules')
rmSync(place, { recursive: true, force: true })
mkdirSync(place, { recursive: true })
const server = await start(['--rules-dir', rules])

async function ask(path: string, body: unknown) {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

async function decide({ document, input }: Sample) {
  const { status, body } = await ask(`/execute/${document.config.name}`, { input })
  const { code, message, output, error } = body
  return { input, status, ...(status === 200 ? { code, message, output } : { error }) }
}

const decisions: Record<string, unknown> = {}
for (const sample of [...SAMPLES, REPLACED]) {
  const { name } = sample.document.config
  const stored = await ask('/rulesets', sample.document)
  if (stored.status === 201) decisions[name] = await decide(sample)
  else process.stdout.write(`${name} is not stored: ${String(stored.body['error'])}\n`)
}
await ask('/rulesets', REPLACING.document)
await server.stop()
await killAll()
// Members that depend on this machine and process.
for (const name of ['.lock', '.owner']) rmSync(join(rules, name), { force: true })
writeFileSync(join(place, 'decisions.json'), `${JSON.stringify(decisions, undefined, 2)}\n`)
