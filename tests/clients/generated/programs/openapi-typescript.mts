/** `<url> <file of a ruleset>`: stores, reads, executes and filters by the types of openapi-typescript. */
import createClient from 'openapi-fetch'
import { readFileSync } from 'node:fs'
import type { components, paths } from './api.ts'

const [, , baseUrl = '', file = ''] = process.argv
const engine = createClient<paths>({ baseUrl })

// The first call of README.md.
const vip = await engine.POST('/api/v1/execute/{name}', {
  params: { path: { name: 'vip-discount' } },
  body: { input: { customer: { tier: 'gold', years: 6 }, order: { total: 240 } } },
})
if (vip.data?.code !== 'VIP_GOLD_PLUS') throw new Error(JSON.stringify(vip.error))

// A ruleset that is written in TypeScript.
const before: components['schemas']['Ruleset'] = {
  config: { name: 'made-before', entry_step: 'done' },
  steps: { done: { id: 'done', type: 'terminal', result: { code: 'DONE', message: '', level: 1 } } },
}
const first = await engine.POST('/api/v1/rulesets', { body: before })
if (first.error !== undefined) throw new Error(JSON.stringify(first.error))

const ruleset = JSON.parse(readFileSync(file, 'utf8')) as components['schemas']['Ruleset']
const saved = await engine.POST('/api/v1/rulesets', { body: ruleset })
if (saved.error !== undefined) throw new Error(JSON.stringify(saved.error))
const name = ruleset.config.name
const read = await engine.GET('/api/v1/rulesets/{name}', { params: { path: { name } } })
const executed = await engine.POST('/api/v1/execute/{name}', {
  params: { path: { name } },
  body: { input: { age: 20, country: 'DE' } },
})
const filtered = await engine.POST('/api/v1/rulesets/{name}/filter', {
  params: { path: { name } },
  body: { known_input: {}, target_results: ['ADULT'] },
})
const steps = Object.values(read.data?.steps ?? {})
const actions = steps.flatMap((step) => (step.type === 'action' ? (step.actions ?? []) : []))
if (!actions.some((one) => one.action === 'call_ruleset' && one.ruleset_name === 'made-before'))
  throw new Error(JSON.stringify(read))
console.log(JSON.stringify({ ruleset: read.data, code: executed.data?.code, filter: filtered.data?.filter }))
