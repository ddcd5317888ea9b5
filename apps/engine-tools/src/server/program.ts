import { endsWithThisProcess, NODE_FLAGS } from '@engine/process'
import { isObject, jsonValue } from '@engine/expression'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { ToolError } from '../tool.ts'

/** Packages of the servers. They are installed only where they are used. */
export const SERVER_PACKAGES = {
  engine: '@engine/engine-server',
  platform: '@engine/platform-server',
} as const

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Run the program of a server package with its own Node options until it ends, and pass signals on to it. Resolves with its
 * exit code. Throws `ToolError` when the package is not installed.
 */
export async function runServerProgram(name: keyof typeof SERVER_PACKAGES, args: readonly string[]): Promise<number> {
  const file = programFile(SERVER_PACKAGES[name])
  // The server ends when this process is killed, too.
  const env = { ...process.env, ...endsWithThisProcess() }
  const child = spawn(process.execPath, [...NODE_FLAGS, file, ...args], { stdio: 'inherit', env })
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
  })
}

function programFile(packageName: string): string {
  const manifest = manifestOf(packageName)
  if (manifest === undefined)
    throw new ToolError(`the package ${packageName} is not installed: run \`npm install ${packageName}\``)
  const content = jsonValue(readFileSync(manifest, 'utf8'))
  const bins = isObject(content) && isObject(content['bin']) ? Object.values(content['bin']) : []
  return join(dirname(manifest), bins.find((bin) => typeof bin === 'string') ?? '')
}

function manifestOf(packageName: string): string | undefined {
  try {
    return findPackageJSON(packageName, import.meta.url)
  } catch {
    return undefined
  }
}
