import { jsonValue } from '@engine/expression'
import { readFileSync } from 'node:fs'

const manifest = jsonValue(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string
}

/** Version of this program: `--version`, `/health`, `engine_platform_info`. */
export const VERSION = manifest.version
