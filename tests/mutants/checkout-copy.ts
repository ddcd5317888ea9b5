import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A copy of the working tree in which sources may be changed. */
export interface CheckoutCopy {
  readonly root: string
  remove(): void
}

/** Copy every file that git knows or would add. Packages of others are shared by links, packages of the workspace are the copies. */
export function copyCheckout(root: string): CheckoutCopy {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'mutants-')))
  // PostgreSQL, which runs as another user, must be able to enter.
  chmodSync(copy, 0o755)
  for (const file of trackedFiles(root)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    if (existsSync(join(root, file))) cpSync(join(root, file), join(copy, file), { preserveTimestamps: true })
  }
  linkModules(root, copy, '.')
  for (const group of ['packages', 'apps'])
    for (const name of readdirSync(join(root, group))) linkModules(root, copy, join(group, name))
  linkModules(root, copy, 'bench')
  linkModules(root, copy, 'examples')
  return { root: copy, remove: () => rmSync(copy, { recursive: true, force: true }) }
}

/** Paths of all files that are under version control or would be, from the root. */
export function trackedFiles(root: string): readonly string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\0')
    .filter((file) => file !== '')
}

function linkModules(root: string, copy: string, folder: string): void {
  const from = join(root, folder, 'node_modules')
  if (!existsSync(from) || !existsSync(join(copy, folder))) return
  const to = join(copy, folder, 'node_modules')
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    if (name === '.cache' || name === '.vite') continue
    if (name.startsWith('@') || name === '.bin') linkScope(root, copy, join(from, name), join(to, name))
    else link(root, copy, join(from, name), join(to, name))
  }
}

function linkScope(root: string, copy: string, from: string, to: string): void {
  mkdirSync(to)
  for (const name of readdirSync(from)) link(root, copy, join(from, name), join(to, name))
}

function link(root: string, copy: string, from: string, to: string): void {
  const real = realpathSync(from)
  const isOwn = real.startsWith(`${root}/`) && !real.includes('/node_modules/')
  symlinkSync(isOwn ? join(copy, real.slice(root.length + 1)) : real, to)
}
