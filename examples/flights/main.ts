// Sends the flights of the vega-datasets package through the ruleset flight-compensation of a running server.
import { parseArgs } from 'node:util'
import { decideAll } from './client.ts'
import { chart, hours, summary } from './report.ts'
import { differences } from './check.ts'
import { readFlights } from './flight.ts'

const HELP = `Usage: npm run example:flights [-- options]

Sends 231,083 flights through the ruleset \`flight-compensation\` over HTTP batch, and counts what comes out.

Options:
  --url <url>  the running server (default: http://localhost:8080)
  --check      compare each result with a second implementation of the rule; exit code 1 on any difference
  --help       print this help`

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: 'http://localhost:8080' },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const flights = readFlights()
  const start = performance.now()
  const results = await decideAll(values.url, flights)
  const seconds = (performance.now() - start) / 1000
  console.log(summary(results, seconds))
  console.log(`\n${chart(results)}`)
  console.log(`\n${hours(flights, results)}`)
  return values.check ? check(differences(flights, results), flights.length) : 0
}

function check(found: readonly string[], total: number): number {
  if (found.length === 0) {
    console.log(`\nall ${total.toLocaleString('en')} results are those of the second implementation`)
    return 0
  }
  console.error(`\n${found.length.toLocaleString('en')} results differ from the second implementation, for example`)
  for (const difference of found.slice(0, 10)) console.error(`  ${difference}`)
  return 1
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
