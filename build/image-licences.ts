import { globSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { licencesOf, PACKAGES_FILE, packagesOf } from './third-party.ts'

/** Writes the licences of the packages in all bundles to `THIRD-PARTY-LICENSES.txt` of the image. */
const ROOT = join(import.meta.dirname, '..')
const bundles = globSync(`apps/*/dist/program/${PACKAGES_FILE}`, { cwd: ROOT }).map((file) => join(ROOT, dirname(file)))
if (bundles.length === 0) throw new Error('there are no bundles: run `node build/prepare.ts` first')
const packages = bundles.flatMap(packagesOf)
// Several bundles contain the same package.
const once = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]))
const ordered = [...once].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, one]) => one)
writeFileSync(join(ROOT, 'THIRD-PARTY-LICENSES.txt'), licencesOf(ordered))
