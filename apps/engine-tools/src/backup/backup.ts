import { endingOf, readRuleFile } from '@engine/rule-file'
import { copyFile, lstat, readdir, readFile } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { codeOf, decodeRuleFile, makeDirectory } from '../files.ts'
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
  const [unserved, tolerated]: [string[], string[]] = [[], []]
  const copied = { files: 0, rulesets: 0, unserved, tolerated }
  await copyDirectory(source, target, '', copied)
  return copied
}

async function requireEmpty(target: string): Promise<void> {
  const present = await readdir(target).catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') return []
    throw new ToolError(`${target}: cannot be read (${codeOf(cause)})`)
  })
  if (present.length > 0) throw new ToolError(`${target}: already exists: a backup needs a new folder`)
}

type Copied = { files: number; rulesets: number; readonly unserved: string[]; readonly tolerated: string[] }

async function copyDirectory(source: string, target: string, below: string, copied: Copied): Promise<void> {
  const entries = await readdir(join(source, below), { withFileTypes: true }).catch((cause: unknown) => {
    if (below !== '' && codeOf(cause) === 'ENOENT') return []
    throw new ToolError(`${join(source, below)}: cannot be read (${codeOf(cause)})`)
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
    throw new ToolError(`${to}: cannot be written (${codeOf(cause)})`)
  }
  copied.files++
  if (!isRuleFile(path)) return
  const read = readRuleFile(path, await readFile(to))
  const { ruleset, problems, tolerated } = decodeRuleFile(read, { isStored: true })
  for (const problem of tolerated) copied.tolerated.push(placed(path, problem))
  if (ruleset === undefined) copied.unserved.push(`${path}: ${problems[0]?.message ?? 'it is no ruleset'}`)
  else copied.rulesets++
}

async function isGone(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    (cause: unknown) => codeOf(cause) === 'ENOENT',
  )
}

/** A file that is served; versions, cases, contracts and the settings of tenants are not. */
function isRuleFile(path: string): boolean {
  const isNamed = endingOf(path) !== undefined && !/\.(?:cases|contract)\.json$/.test(path)
  const isHidden = path.split(sep).some((part) => part.startsWith('.'))
  return isNamed && path !== 'tenants.json' && !isHidden
}

async function writing<T>(target: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (cause) {
    throw new ToolError(`${target}: cannot be written (${codeOf(cause)})`)
  }
}
