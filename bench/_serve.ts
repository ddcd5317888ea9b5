import { mkdtempSync, writeFileSync } from 'node:fs'
import { startUnpinnedPlatform } from './servers.ts'
import { prepared } from './platform-place.ts'
import { graph, wideTable } from './studio-rulesets.ts'
const directory = mkdtempSync('/tmp/perf18-data-')
const platform = await startUnpinnedPlatform(directory)
const place = await prepared(platform, directory)
for (const [name, ruleset] of [
  ['graph', graph(1000)],
  ['wide', wideTable(10_000, 40)],
] as const)
  await place.ask('POST', `/orgs/${place.org}/projects/${place.project}/rulesets/${name}`, { ruleset, expected_seq: 0 })
writeFileSync(
  '/tmp/perf18-place.json',
  JSON.stringify({ org: place.org, project: place.project, origin: place.origin, cookie: place.cookie(), directory }),
)
console.log('ready')
process.on('SIGTERM', async () => {
  await platform.stop()
  process.exit(0)
})
setInterval(() => {}, 1e6)
