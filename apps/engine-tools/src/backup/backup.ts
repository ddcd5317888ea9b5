import { copyFile, lstat, readdir } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { findServedFiles } from '../check/served-files.ts'
import { codeOf, makeDirectory, readError, writeError } from '../files.ts'
import { placed } from '../problem.ts'
import { ToolError } from '../tool.ts'

/** The content of a backup. */
export interface Backup {
  /** All files that were copied. */
  readonly files: number
  /** Rule files whose copies were read and are rulesets. */
  readonly rulesets: number
  /** Rule files that an engine would not serve, with the reason; they are copied as they are. */
  readonly unserved: readonly string[]
  /** Rule files that are served though their expressions would be refused in new ones, with the reasons. */
  readonly tolerated: readonly string[]
}

/**
 * Temporary files of a running server: its lock, changes waiting for a broker, pending writes and probes. The outbox is
 * excluded because a restored directory is authoritative: all of it is published.
 */
const PASSING = /^(?:\.lock|\.owner|\.outbox|\.health_probe|\..+\.tmp-[0-9a-f]{12})$/

/**
 * Copy a rules directory while a server writes to it. A file is replaced by renaming, so each copy is whole; one that
 * vanishes meanwhile was deleted. Served files are copied before their versions: content replaced in between is in both
 * rather than in none. Throws `ToolError`.
 */
export async function backUp(source: string, target: string): Promise<Backup> {
  if (`${resolve(target)}${sep}`.startsWith(`${resolve(source)}${sep}`))
    throw new ToolError(`${target}: a backup must not be inside the directory that it copies`)
  await requireEmpty(target)
  const copied = { files: 0 }
  await copyDirectory(source, target, '', copied)
  return { ...copied, ...(await judgeCopies(target)) }
}

/** The copies as an engine would load them from a rules directory. */
async function judgeCopies(target: string): Promise<Omit<Backup, 'files'>> {
  const { files } = await findServedFiles(target)
  const nameOf = (path: string) => relative(target, path)
  return {
    rulesets: files.filter(({ ruleset }) => ruleset !== undefined).length,
    unserved: files
      .filter(({ ruleset }) => ruleset === undefined)
      .map(({ path, problems }) => `${nameOf(path)}: ${problems[0]?.message ?? 'it is no ruleset'}`),
    tolerated: files.flatMap(({ path, tolerated }) => tolerated.map((problem) => placed(nameOf(path), problem))),
  }
}

async function requireEmpty(target: string): Promise<void> {
  const present = await readdir(target).catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') return []
    throw readError(target, cause)
  })
  if (present.length > 0) throw new ToolError(`${target}: already exists: a backup needs a new folder`)
}

type Copied = { files: number }

async function copyDirectory(source: string, target: string, below: string, copied: Copied): Promise<void> {
  const entries = await readdir(join(source, below), { withFileTypes: true }).catch((cause: unknown) => {
    if (below !== '' && codeOf(cause) === 'ENOENT') return []
    throw readError(join(source, below), cause)
  })
  await writing(target, () => makeDirectory(join(target, below)))
  // Names with a dot, the versions among them, come last.
  const ordered = entries.toSorted(
    (left, right) => Number(left.name.startsWith('.')) - Number(right.name.startsWith('.')),
  )
  for (const entry of ordered) {
    const path = join(below, entry.name)
    if (PASSING.test(entry.name)) continue
    if (entry.isDirectory()) await copyDirectory(source, target, path, copied)
    else if (entry.isFile()) await copyOne(source, target, path, copied)
  }
}

async function copyOne(source: string, target: string, path: string, copied: Copied): Promise<void> {
  const [from, to] = [join(source, path), join(target, path)]
  try {
    await copyFile(from, to)
  } catch (cause) {
    if (await isGone(from)) return
    throw writeError(to, cause)
  }
  copied.files++
}

async function isGone(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    (cause: unknown) => codeOf(cause) === 'ENOENT',
  )
}

async function writing<T>(target: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (cause) {
    throw writeError(target, cause)
  }
}
