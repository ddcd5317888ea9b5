import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'

const SITE = fileURLToPath(new URL('../dist/site', import.meta.url))

/** Files that shrink; fonts are compressed by themselves. */
const TEXTS = new Set(['.js', '.css', '.svg', '.json'])

/** Build the studio, and store each text file next to its compressed forms: no server compresses it again. */
export async function buildStudio(): Promise<void> {
  // Tests set another environment, for which React would be built with its checks for development.
  const { NODE_ENV: before } = process.env
  process.env['NODE_ENV'] = 'production'
  await build({ configFile: fileURLToPath(new URL('../vite.config.ts', import.meta.url)), logLevel: 'warn' }).finally(
    () => {
      if (before === undefined) delete process.env['NODE_ENV']
      else process.env['NODE_ENV'] = before
    },
  )
  for (const name of readdirSync(SITE, { recursive: true, encoding: 'utf8' })) {
    const file = join(SITE, name)
    if (!TEXTS.has(extname(name)) || !statSync(file).isFile()) continue
    const bytes = readFileSync(file)
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
  }
}
