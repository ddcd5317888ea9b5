import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonValue } from '@engine/expression'
import { SCOPE } from './scope.ts'

/**
 * `node build/publish.ts v0.2.0` publishes the packages in `out/npm` with provenance. The workflow `publish.yml` runs it.
 * `--dry-run` is passed to npm.
 */
const OUT = join(import.meta.dirname, '../out/npm')

/** The scope of packages inside the repository. It belongs to someone else on npm. */
const PLACEHOLDER = '@engine'

interface Packed {
  readonly name: string
  readonly version: string
  readonly repository?: { readonly url: string }
}

/** Why packages cannot be published; undefined: they can. */
export function refusalOf(
  packages: readonly Packed[],
  { scope, tag, changes }: { readonly scope: string; readonly tag: string; readonly changes: string },
): string | undefined {
  if (scope === PLACEHOLDER) return `the scope ${scope} is a placeholder: put your organization into build/scope.ts`
  if (packages.length === 0) return 'nothing is packed: run `npm run pack`'
  for (const { name, version, repository } of packages) {
    if (tag !== `v${version}`) return `the tag is ${tag}, and ${name} has the version ${version}`
    if (!name.startsWith(`${scope}/`)) return `${name} is outside of the scope ${scope}: pack again`
    if (repository === undefined)
      return `${name} names no repository: pack with PACK_REPOSITORY, which provenance needs`
  }
  const version = tag.slice(1)
  return changes.includes(`\n## ${version} (`) ? undefined : `CHANGELOG.md has no section for ${version}`
}

/** The packed packages with their folders, dependencies first. */
function packedPackages(): readonly (Packed & { readonly folder: string })[] {
  const all = readdirSync(OUT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const folder = join(OUT, name)
      return { folder, ...(jsonValue(readFileSync(join(folder, 'package.json'), 'utf8')) as unknown as Manifest) }
    })
  const weight = ({ dependencies = {} }: Manifest): number =>
    all.filter(({ name }) => name in dependencies).reduce((sum, one) => sum + 1 + weight(one), 0)
  return all.toSorted((one, other) => weight(one) - weight(other))
}

interface Manifest extends Packed {
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Whether the registry has this version. A run that failed midway can be repeated. */
function isPublished({ name, version }: Packed): boolean {
  try {
    return execFileSync('npm', ['view', `${name}@${version}`, 'version'], { encoding: 'utf8' }).trim() === version
  } catch {
    return false
  }
}

if (import.meta.main) {
  const [tag = '', ...options] = process.argv.slice(2)
  const packages = packedPackages()
  const changes = readFileSync(join(import.meta.dirname, '../CHANGELOG.md'), 'utf8')
  const refusal = refusalOf(packages, { scope: SCOPE, tag, changes })
  if (refusal !== undefined) {
    process.stderr.write(`${refusal}\n`)
    process.exit(1)
  }
  for (const one of packages) {
    if (isPublished(one)) continue
    const args = ['publish', one.folder, '--provenance', '--access', 'public', '--ignore-scripts', ...options]
    execFileSync('npm', args, { stdio: 'inherit' })
  }
}
