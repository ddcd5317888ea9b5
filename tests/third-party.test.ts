import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { bundlePrograms } from '../build/programs.ts'
import { licencesOf, packageFolder, PACKAGES_FILE, packagesOf, sbomOf } from '../build/third-party.ts'

const ROOT = join(import.meta.dirname, '..')

/** Licences that allow a program with these packages to be passed on, with their texts. */
const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
])

const isPermissive = (license: string) =>
  license
    .replaceAll(/[()]/g, '')
    .split(' AND ')
    .every((part) => PERMISSIVE.has(part))

describe.each(['engine-server', 'platform-server', 'engine-tools'])('the bundle of %s', (app) => {
  const bundle = join(ROOT, 'apps', app, 'dist/program')
  // Bundles of an earlier checkout have no list.
  beforeAll(() => bundlePrograms((folder) => !existsSync(new URL(PACKAGES_FILE, folder))))

  test('has packages with permissive licences only', () => {
    const packages = packagesOf(bundle)
    expect(packages.map(({ name }) => name)).toContain('commander')
    expect(packages.filter(({ license }) => !isPermissive(license))).toEqual([])
  })

  test('is passed on with the name, version and licence of each', () => {
    const [first] = packagesOf(bundle)
    expect(licencesOf(packagesOf(bundle))).toContain(`${first?.name} ${first?.version} (${first?.license})\n`)
  })

  test('has an SBOM that names each once, with its licence and package URL', () => {
    const packages = packagesOf(bundle)
    const program = { name: '@engine/program', version: '1.2.3', license: 'Apache-2.0' }
    const text = sbomOf(program, packages)
    expect(sbomOf(program, packages)).toBe(text)
    const sbom = JSON.parse(text) as {
      bomFormat: string
      specVersion: string
      metadata: { component: object }
      components: { purl: string; licenses: object }[]
      dependencies: { ref: string; dependsOn: string[] }[]
    }
    expect([sbom.bomFormat, sbom.specVersion]).toEqual(['CycloneDX', '1.6'])
    expect(sbom.metadata.component).toMatchObject({ type: 'application', purl: 'pkg:npm/%40engine/program@1.2.3' })
    const purls = sbom.components.map(({ purl }) => purl)
    expect(new Set(purls).size).toBe(purls.length)
    expect(purls).toHaveLength(new Set(packages.map(({ name, version }) => `${name}@${version}`)).size)
    expect(sbom.dependencies[0]).toEqual({ ref: 'pkg:npm/%40engine/program@1.2.3', dependsOn: purls })
    for (const purl of purls) expect(purl).toMatch(/^pkg:npm\/(?:%40[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+/)
  })
})

test.each([
  ['node_modules/yaml/dist/index.js', 'node_modules/yaml'],
  ['node_modules/@noble/hashes/sha2.js', 'node_modules/@noble/hashes'],
  ['node_modules/a/node_modules/b/index.js', 'node_modules/a/node_modules/b'],
])('the package of %s', (module, folder) => {
  expect(packageFolder(module)).toBe(folder)
})
