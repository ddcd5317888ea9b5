// Writes ruleset.json from zones.csv and rates.csv: `npx node examples/shipping-rates/generate.ts`.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rulesetText } from './table.ts'

const path = join(import.meta.dirname, 'ruleset.json')
writeFileSync(path, rulesetText(import.meta.dirname))
console.log(`wrote ${path}`)
