import { parseArgs } from 'node:util'
import { dmnTckCases } from './dmn-tck.ts'
import { gorulesCases } from './gorules.ts'
import { type KitCase, outcomeOf, tallyText } from './tally.ts'

const USAGE = `Usage: npm run conformance -- [options] KIT FOLDER

Imports and executes the published cases of other rule engines, and prints how many are right.
The data are not part of this repository: unpack them into a folder.

  gorules   test-data/graphs of https://github.com/gorules/zen
  dmn-tck   https://github.com/dmn-tck/tck

  --list       name each case that is not right, with its reason
  -h, --help   this text

Exits with 1 when a result differs without a warning.
`

const KITS: { readonly [name: string]: (folder: string) => readonly KitCase[] } = {
  gorules: gorulesCases,
  'dmn-tck': dmnTckCases,
}

try {
  const { values, positionals } = parseArgs({
    options: { list: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
    allowPositionals: true,
  })
  const [name = '', folder, ...rest] = positionals
  const kit = Object.hasOwn(KITS, name) ? KITS[name] : undefined
  if (values.help) console.log(USAGE)
  else if (kit === undefined || folder === undefined || rest.length > 0) {
    console.error(USAGE)
    process.exitCode = 2
  } else run(kit, folder, values.list)
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 2
}

function run(kit: (folder: string) => readonly KitCase[], folder: string, isListed: boolean): void {
  const cases = kit(folder)
  if (cases.length === 0) throw new Error(`${folder} has no cases of this kit`)
  if (isListed)
    for (const one of cases)
      for (const { outcome, reason } of one.results)
        if (outcome !== 'right') console.log(`${outcome} ${one.name}: ${reason}`)
  console.log(tallyText(cases))
  if (cases.some((one) => outcomeOf(one) === 'different')) process.exitCode = 1
}
