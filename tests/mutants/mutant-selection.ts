import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '../../packages/ruleset/src/random.testing.ts'
import { trackedFiles } from './checkout-copy.ts'
import type { MutantsCommand } from './command-line.ts'
import { type Mutation, mutationsOf } from './mutations.ts'

/** A mistake at a place of the repository. */
export interface Mutant {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly mutation: Mutation
}

/** Line numbers of a file, from 1. */
type Lines = ReadonlySet<number>

/** Sources that mutants are planted in: no tests, no generated code. */
function isMutable(file: string): boolean {
  return (
    /^(?:packages|apps)\/[^/]+\/src\/.*\.tsx?$/.test(file) &&
    !/\.(?:test|testing|d)\.tsx?$|_pb\.|\/api\/schema\.ts$/.test(file)
  )
}

/** The mutants that a command selects by its seed, in the order of their places. */
export function selectMutants(root: string, command: MutantsCommand): readonly Mutant[] {
  const places = command.paths.length > 0 ? filesBelow(root, command.paths) : changedLines(root, command.revision)
  const all = [...places].flatMap(([file, lines]) => mutantsOf(root, file, lines))
  const random = seededRandom(command.seed)
  const chosen = all
    .map((mutant) => ({ mutant, order: random() }))
    .toSorted((left, right) => left.order - right.order)
    .slice(0, command.count)
    .map(({ mutant }) => mutant)
  const rank = new Map(all.map((mutant, index) => [mutant, index]))
  return chosen.toSorted((left, right) => (rank.get(left) ?? 0) - (rank.get(right) ?? 0))
}

function mutantsOf(root: string, file: string, lines: Lines | undefined): readonly Mutant[] {
  const source = readFileSync(join(root, file), 'utf8')
  return mutationsOf(file, source)
    .map((mutation) => ({ file, line: source.slice(0, mutation.start).split('\n').length, mutation }))
    .filter(({ line }) => lines?.has(line) ?? true)
}

/** Throws where a path has no sources. */
function filesBelow(root: string, paths: readonly string[]): ReadonlyMap<string, undefined> {
  const files = trackedFiles(root).filter(isMutable)
  const found = paths.flatMap((path) => {
    const below = files.filter((file) => file === path || file.startsWith(`${path}/`))
    if (below.length === 0) throw new Error(`there are no sources in \`${path}\``)
    return below
  })
  return new Map(found.map((file) => [file, undefined]))
}

/** Lines that were added or changed since a revision, and all lines of files that git does not know yet. */
function changedLines(root: string, revision: string): ReadonlyMap<string, Lines | undefined> {
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 })
  const changed = new Map<string, Set<number> | undefined>()
  let file = ''
  for (const line of git('diff', '--unified=0', '--no-color', '--no-ext-diff', revision, '--', '*.ts', '*.tsx').split(
    '\n',
  )) {
    if (line.startsWith('+++ ')) file = line.slice('+++ b/'.length)
    const [, first, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
    if (first === undefined || !isMutable(file)) continue
    const lines = changed.get(file) ?? new Set()
    for (let at = 0; at < Number(count); at++) lines.add(Number(first) + at)
    changed.set(file, lines)
  }
  const added = git('ls-files', '-z', '--others', '--exclude-standard').split('\0')
  for (const path of added.filter(isMutable)) changed.set(path, undefined)
  return changed
}
