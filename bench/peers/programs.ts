import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Release builds, outside of the sources; a second run builds nothing. */
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/bench-peers')

/** Path of the server of `go/main.go`. Undefined: Go is not installed, which is printed. */
export function goServer(): string | undefined {
  if (!isInstalled('go', 'version')) return undefined
  const program = join(CACHE, 'go/server')
  mkdirSync(join(CACHE, 'go'), { recursive: true })
  execFileSync('go', ['build', '-o', program, '.'], { cwd: join(import.meta.dirname, 'go'), stdio: 'inherit' })
  return program
}

/** Paths of the programs in `rust/src/bin`. */
export interface RustPrograms {
  readonly axum: string
  readonly tonic: string
  /** The client of all measured HTTP servers. */
  readonly load: string
}

/** The programs in `rust`. Undefined: Rust is not installed, which is printed. */
export function rustPrograms(): RustPrograms | undefined {
  if (!isInstalled('cargo', '--version')) return undefined
  const target = join(CACHE, 'rust')
  const manifest = join(import.meta.dirname, 'rust/Cargo.toml')
  execFileSync('cargo', ['build', '--release', '--quiet', '--manifest-path', manifest, '--target-dir', target], {
    stdio: 'inherit',
  })
  const program = (name: string) => join(target, 'release', name)
  return { axum: program('axum-server'), tonic: program('tonic-server'), load: program('load-client') }
}

function isInstalled(program: string, ...asking: readonly string[]): boolean {
  try {
    execFileSync(program, asking, { stdio: 'ignore' })
    return true
  } catch {
    console.log(`\`${program}\` is not installed: its peers are skipped.\n`)
    return false
  }
}
