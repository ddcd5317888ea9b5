import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawned } from '../../engine-server.testing.ts'
import { ROOT } from '../command.ts'
import { CACHE } from '../tools.ts'

/** The OpenAPI document of a platform on a free port of loopback, which is stopped again. */
async function describePlatform(): Promise<string> {
  const dataDir = join(CACHE, 'runs', `platform-${process.pid}`)
  rmSync(dataDir, { recursive: true, force: true })
  const options = ['--http-addr', '127.0.0.1:0', '--data-dir', dataDir, '--log-format', 'json', '--log-level', 'info']
  const platform = spawned(join(ROOT, 'node_modules/.bin/engine-platform'), options)
  try {
    const [, url = ''] = await platform.says(/"url":"([^"]+)"/)
    return await (await fetch(`${url}/api/v1/openapi.json`)).text()
  } finally {
    platform.process.kill('SIGTERM')
    await platform.ended
    rmSync(dataDir, { recursive: true, force: true })
  }
}

let described: Promise<string> | undefined
let folders = 0

/** Runs something with the OpenAPI document of a platform as a file, and an empty folder, which is removed afterwards. */
export async function withPlatformDocument<T>(
  use: (given: { readonly document: string; readonly folder: string }) => Promise<T>,
): Promise<T> {
  described ??= describePlatform()
  const text = await described
  const place = join(CACHE, 'runs', `platform-document-${process.pid}-${folders++}`)
  const folder = join(place, 'client')
  mkdirSync(folder, { recursive: true })
  try {
    const document = join(place, 'openapi.json')
    writeFileSync(document, text)
    return await use({ document, folder })
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}
