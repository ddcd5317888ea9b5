import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonValue } from '@engine/expression'

/** The list of other projects' packages in a bundle: a folder below the root of the repository in each line. */
export const PACKAGES_FILE = 'packages.txt'

const ROOT = join(import.meta.dirname, '..')

/** A package of another project that a bundle contains. */
export interface ThirdParty {
  readonly name: string
  readonly version: string
  /** As its manifest names it: an SPDX expression. */
  readonly license: string
  /** Its licence, and its notice where it has one. */
  readonly text: string
}

/** The folder of the package of a module below `node_modules`. */
export function packageFolder(module: string): string {
  const start = module.lastIndexOf('node_modules/') + 'node_modules/'.length
  const [first = '', second = ''] = module.slice(start).split('/')
  return module.slice(0, start) + (first.startsWith('@') ? `${first}/${second}` : first)
}

/** The packages of a bundle, by name. Throws for a package without a licence in its manifest. */
export function packagesOf(bundle: string): readonly ThirdParty[] {
  const folders = readFileSync(join(bundle, PACKAGES_FILE), 'utf8').split('\n').filter(Boolean)
  return folders.map(thirdParty).toSorted((left, right) => (left.name < right.name ? -1 : 1))
}

function thirdParty(path: string): ThirdParty {
  const folder = join(ROOT, path)
  const manifest = jsonValue(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly version: string
    readonly license?: string
  }
  if (manifest.license === undefined) throw new Error(`${path} names no licence in its package.json`)
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n')
  return { name: manifest.name, version: manifest.version, license: manifest.license, text }
}

/** Names, versions and licences of packages, as one text for people. */
export function licencesOf(packages: readonly ThirdParty[]): string {
  const parts = packages.map(({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}\n`)
  return `This program contains the following packages of other projects.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`
}
