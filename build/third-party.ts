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

/** The file of a package's SBOM. */
export const SBOM_FILE = 'sbom.cdx.json'

/** A component of an SBOM. */
type Component = Pick<ThirdParty, 'name' | 'version' | 'license'>

/**
 * The bill of materials of a program as CycloneDX 1.6 JSON: the packages in its bundle and those that it installs. The same input has
 * the same text: it has no time and no serial number.
 */
export function sbomOf(program: Component, packages: readonly Component[]): string {
  // A bundle may have two copies of a package.
  const once = [...new Map(packages.map((one) => [purlOf(one), one])).values()]
  const component = ({ name, version, license }: Component) => ({
    'bom-ref': purlOf({ name, version }),
    name,
    version,
    purl: purlOf({ name, version }),
    licenses: [{ expression: license }],
  })
  const sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', ...component(program) } },
    components: once.map((one) => ({ type: 'library', ...component(one) })),
    dependencies: [
      { ref: purlOf(program), dependsOn: once.map(purlOf) },
      ...once.map((one) => ({ ref: purlOf(one), dependsOn: [] })),
    ],
  }
  return `${JSON.stringify(sbom, undefined, 2)}\n`
}

/** The package URL (purl) of a package of npm. */
const purlOf = ({ name, version }: Pick<Component, 'name' | 'version'>) =>
  `pkg:npm/${name.replace(/^@/, '%40')}@${version}`

/** An installed package, by its name. */
export const installedPackage = (name: string) => thirdParty(join('node_modules', name))
